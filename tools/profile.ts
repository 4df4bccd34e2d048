import { z } from 'zod';

import { isGiven } from '../src/manager/find/code.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import * as profile from '../src/manager/profile/profile.ts';
import { defineTool, READS } from './shape/define.ts';
import { pageOf, paging, partOf, visiblePage } from './shape/page.ts';
import { Ref } from './shape/ref.ts';
import { Visible } from './shape/text.ts';

const Profile = z.object({
  profileId: z.string(),
  profileName: Visible(),
  profileCode: Visible().optional(),
});

const show = (row: profile.Profile) => ({
  profileId: row.id,
  profileName: row.profileName,
  ...(isGiven(row.profileCode) && { profileCode: row.profileCode }),
});

export const profileTools = [
  defineTool({
    name: 'lookupProfileById',
    title: 'Look up a profile',
    domain: 'Profile',
    listed: 'direct',
    description: 'Returns one profile: the template that says which points its devices have.',
    permission: 'svc-center-manager:profile:get',
    scope: 'svc:read',
    input: z.strictObject({ profileId: Ref.describe('Id or name') }),
    output: Profile.extend({ enabled: z.boolean(), remark: Visible(200).optional() }),
    annotations: READS,
    async run(app, caller, { profileId }) {
      const row = await withNames(app, caller, async (find) =>
        profile.byId(app, caller, { id: await find.one('profile', profileId) }),
      );
      return {
        ...show(row),
        enabled: row.enableFlag === 'ENABLE',
        ...(row.remark && { remark: row.remark }),
      };
    },
  }),
  defineTool({
    name: 'searchProfiles',
    title: 'Search profiles',
    domain: 'Profile',
    listed: 'direct',
    description: 'Finds profiles by part of the name, newest first. Without filters it lists all.',
    permission: 'svc-center-manager:profile:list',
    scope: 'svc:read',
    input: z.strictObject({
      profileName: partOf('name'),
      ...paging,
    }),
    output: pageOf(Profile),
    annotations: READS,
    run: (app, caller, { cursor, limit, maxTokens, ...filters }) =>
      visiblePage(
        { cursor, limit, maxTokens },
        Profile,
        (page) => profile.page(app, caller, { ...filters, page }),
        show,
      ),
  }),
];
