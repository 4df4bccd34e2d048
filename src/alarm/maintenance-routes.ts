import { post, type Route } from '../kernel/app/route.ts';
import { Done } from '../kernel/entity/answer.ts';
import { routesOf } from '../kernel/entity/routes.ts';
import { ById } from '../kernel/input/input.ts';
import * as maintenance from './alarm/maintenance.ts';

const maintenances = routesOf({
  noun: 'maintenance',
  answer: maintenance.Maintenance.schema,
  reads: 'svc:read',
});

const rows: readonly Route[] = [
  maintenances.add(
    '/maintenance/add',
    maintenance.AddMaintenance,
    maintenance.add,
    'Plans a maintenance, or begins one; answers its id',
  ),
  maintenances.update(
    '/maintenance/update',
    maintenance.UpdateMaintenance,
    maintenance.update,
    'Changes the given fields of a maintenance that is not over; a later end extends it',
  ),
  maintenances.remove(
    '/maintenance/delete',
    maintenance.remove,
    'Deletes a maintenance that has not begun',
  ),
  maintenances.byId('/maintenance/get_by_id', maintenance.byId),
  maintenances.page('/maintenance/list', maintenance.MaintenanceQuery, maintenance.page),
  post(
    '/maintenance/end',
    {
      needs: 'maintenance:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Ends a maintenance now; what is still true is notified',
      input: ById,
      output: Done,
    },
    maintenance.end,
  ),
];

/** Endpoints for maintenance (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = rows.map((row) => ({
  ...row,
  reason: 'docs/specification/alarms.md, Maintenance',
}));
