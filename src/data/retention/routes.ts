import { get, post, type Route } from '../../kernel/app/route.ts';
import { pageOfAnswers } from '../../kernel/entity/answer.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import * as deletion from './deletion.ts';
import * as hold from './hold.ts';
import * as retention from './retention-class.ts';
import * as values from './stored-values.ts';

const holds = routesOf({
  noun: 'retention_hold',
  answer: hold.RetentionHold.schema,
  reads: 'svc:read',
});

const classes = routesOf({
  noun: 'retention_class',
  answer: retention.RetentionClass.schema,
  reads: 'svc:read',
});

const rows: readonly Route[] = [
  post(
    '/point_value/delete',
    {
      needs: 'point_value:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Deletes the stored values of a point of a device over a span, for good',
      input: deletion.DeleteValues,
      output: deletion.ValueDeletion.schema,
    },
    deletion.deleteValues,
  ),
  post(
    '/point_value/deletion/list',
    {
      needs: 'point_value:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Answers deletions of values with how far they are, newest first',
      input: deletion.DeletionQuery,
      output: pageOfAnswers(deletion.ValueDeletion.schema),
    },
    deletion.page,
  ),
  holds.add(
    '/retention_hold/add',
    hold.AddHold,
    hold.add,
    'Keeps values from being deleted until the hold is lifted; answers its id',
  ),
  holds.remove('/retention_hold/delete', hold.remove, 'Lifts a hold'),
  holds.byId('/retention_hold/get_by_id', hold.byId),
  holds.page('/retention_hold/list', hold.HoldQuery, hold.page),
];

const ofClasses: readonly Route[] = [
  classes.add(
    '/retention_class/add',
    retention.AddClass,
    retention.add,
    'Says for how long values of all devices, or of those of some profiles, are kept; answers its id',
  ),
  classes.update('/retention_class/update', retention.UpdateClass, retention.update),
  classes.remove('/retention_class/delete', retention.remove, 'Deletes a class of retention'),
  classes.byId('/retention_class/get_by_id', retention.byId),
  classes.page('/retention_class/list', retention.ClassQuery, retention.page),
  get(
    '/retention_class/stored',
    {
      needs: 'retention_class:list',
      scope: 'svc:read',
      risk: 'read',
      summary:
        'Answers how many values are stored in how many bytes, and from when on they are kept, by device',
      input: values.StoredQuery,
      output: values.StoredValues,
    },
    values.storedValues,
  ),
];

/** Endpoints for what is kept of values (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  ...rows.map((row) => ({ ...row, reason: 'docs/specification/values.md, Deletion' })),
  ...ofClasses.map((row) => ({ ...row, reason: 'docs/specification/values.md, Retention' })),
];
