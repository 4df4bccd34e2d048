import { breaks, type Mutation } from './mutation.ts';

/** What a name given instead of an id is taken for. */
export const names: readonly Mutation[] = [
  breaks(
    'src/db/tenant.ts',
    'svc_require_name_version($6, $7)',
    '$6::bigint, $7::text',
    'tools/names',
    'count at the next call after a change, also one of another process',
  ),
  breaks(
    'src/manager/find/match.ts',
    'first.missing > 0 || first.loose > 0',
    'first.missing > 0',
    'unit/find-name',
    'never by another number',
  ),
  breaks(
    'src/manager/find/match.ts',
    '      other.missing > 0 ||\n',
    '      other.missing >= 0 ||\n',
    'unit/find-name',
    'not where several have the name',
  ),
  breaks(
    'src/manager/find/refusal.ts',
    'mayList(caller, kind) ? named : []',
    'named',
    'tools/names',
    'names nothing that the caller may not list',
  ),
];
