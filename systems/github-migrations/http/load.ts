import type { ApplicationLoad, LoadAction, LoadSite } from '../../http/load.ts';
import { countFaultsIn, visitorActions } from '../../github/http/load.ts';
import { samplesAt } from '../../github/http/start.ts';

/** Visitors of the site, with what the migrations brought, while a visitor compares both readers. */
export const load: ApplicationLoad = {
  holds: 'the counts of every repository are those of what is stored, and no number was given twice',
  open: async (site) => ({
    actions: [...(await visitorActions(site)), ...laterActions(site)],
    faultsIn: countFaultsIn,
  }),
};

function laterActions(site: LoadSite): readonly LoadAction[] {
  const { people, repos } = samplesAt(site.scale);
  const person = (): string => site.oneOf(people);
  return [
    { name: 'gists of a user', weight: 6, act: async () => await site.ask('GET', `/users/${person()}/gists`) },
    { name: 'apps of a user', weight: 4, act: async () => await site.ask('GET', `/users/${person()}/apps`) },
    {
      name: 'share a gist',
      weight: 4,
      act: async () => {
        const body = { title: 'Under load', files: { 'notes.md': '# One' } };
        return await site.ask('POST', '/user/gists', { as: person(), body });
      },
    },
    {
      name: 'before and after',
      weight: 2,
      act: async () => {
        const { owner, repo } = site.oneOf(repos);
        return await site.ask('GET', `/compare?${new URLSearchParams({ owner, repo }).toString()}`);
      },
    },
  ];
}
