import { z } from 'zod';

/** Of any row, as answers carry it. */
export const Id = z.string().regex(/^[1-9]\d*$/);
/** A page of rows with an id. */
export const Records = z.object({ records: z.array(z.looseObject({ id: Id })) });
/** A page of anything: history has no ids. */
export const AnyRecords = z.object({ records: z.array(z.looseObject({})) });
/** What a driver declares for points, commands or events. */
export const Attributes = z.array(z.looseObject({ id: Id, attributeCode: z.string() }));
