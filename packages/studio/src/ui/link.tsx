import type { MouseEvent, ReactNode } from 'react';
import { type Address, formatAddress, navigate } from '../app/address.ts';

interface LinkProps {
  readonly to: Address;
  readonly className?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children: ReactNode;
}

/** A link within the page. A click navigates without a reload, and opens a tab with the browser's modifier keys. */
export function Link({ to, className, current = false, label, children }: LinkProps): ReactNode {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={formatAddress(to)}
      className={className}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      onClick={follow}
    >
      {children}
    </a>
  );
}
