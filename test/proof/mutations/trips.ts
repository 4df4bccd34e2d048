import { breaks, type Mutation } from './mutation.ts';

/** What a call takes of the database. */
export const trips: readonly Mutation[] = [
  breaks(
    'src/manager/group/label.ts',
    "    return pageOf(query.orderBy('id', 'desc'), given.page, Label.of);",
    "    void query.execute();\n    return pageOf(query.orderBy('id', 'desc'), given.page, Label.of);",
    'api/trips/trips',
    'takes as many trips and statements as trips.txt says',
  ),
];
