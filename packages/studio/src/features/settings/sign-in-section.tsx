import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react';
import { catalog } from '../../app/catalog.ts';
import { models } from '../../app/models.ts';
import { serverLog } from '../../app/weather.ts';
import { Failure } from '../../ui/failure.tsx';
import { call, ServiceError } from '../../wire/client.ts';
import { callerOfPage, onConnectionChange } from '../../wire/connection.ts';
import { signIn } from '../../wire/signed-fetch.ts';

/** Who signs the requests of the page. */
export function SignInSection(): ReactNode {
  const caller = useSyncExternalStore(onConnectionChange, callerOfPage);
  if (caller === undefined) return <SignInForm />;
  return (
    <p>
      Requests are signed with <span className="mono">{caller}</span>.{' '}
      {/* A reload forgets the credentials and everything that was read with them. */}
      <button type="button" className="button" onClick={() => location.reload()}>
        Sign out
      </button>
    </p>
  );
}

function SignInForm(): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    setBusy(true);
    setError(undefined);
    try {
      const sessionToken = text('sessionToken') || undefined;
      const [accessKeyId, secretAccessKey, region] = [text('accessKeyId'), text('secretAccessKey'), text('region')];
      await signIn({ accessKeyId, secretAccessKey, sessionToken, region }, isKnown);
      await Promise.all([catalog.refresh(), models.refresh()]);
    } catch (cause) {
      setError(cause as Error); // signIn() throws errors only
      setBusy(false);
    }
  };
  return (
    <form className="sign-in" aria-label="Sign in" autoComplete="off" onSubmit={(event) => void submit(event)}>
      <p>
        This server requires signed requests. The access key is kept in the memory of this page: it is not stored, and
        is forgotten when the page is closed or loaded again.
      </p>
      <label>
        Access key ID <input className="field mono" name="accessKeyId" required spellCheck={false} autoComplete="off" />
      </label>
      <label>
        Secret access key{' '}
        <input className="field mono" name="secretAccessKey" type="password" required autoComplete="off" />
      </label>
      <label>
        Session token, of temporary credentials{' '}
        <input className="field mono" name="sessionToken" type="password" autoComplete="off" />
      </label>
      <label>
        Region <input className="field mono" name="region" defaultValue="us-east-1" required spellCheck={false} />
      </label>
      <button type="submit" className="button main" disabled={isBusy}>
        Sign in
      </button>
      {error && <Failure error={error} />}
    </form>
  );
}

/** A caller who may not list tables is known all the same. */
async function isKnown(): Promise<void> {
  try {
    await call('ListTables', { Limit: 1 }, { onExchange: serverLog.add });
  } catch (error) {
    if (!(error instanceof ServiceError && error.name === 'AccessDeniedException')) throw error;
  }
}
