import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import { OfDriver, OfProfile } from '../entity/of.ts';
import * as device from './device.ts';
import * as deviceImport from './import.ts';

const rows = routesOf({ noun: 'device', answer: device.Device.schema, reads: 'svc:read' });
const lists = { needs: 'device:list', scope: 'svc:read', risk: 'read' } as const;

/** Devices, one by one or from a table (CSV). */
export const routes: readonly Route[] = [
  rows.add('/device/add', device.AddDevice, device.add),
  rows.update('/device/update', device.UpdateDevice, device.update),
  rows.remove('/device/delete', device.remove),
  rows.byId('/device/get_by_id', device.byId),
  rows.byIds('/device/list_by_ids', device.byIds),
  rows.of('/device/list_by_profile_id', OfProfile, device.byProfile),
  {
    ...post(
      '/device/import',
      {
        needs: 'device:add',
        scope: 'interactive',
        risk: 'add',
        summary: 'Adds the devices of a table (text/csv), all of them or none',
        input: deviceImport.ImportDevices,
        output: deviceImport.Imported,
      },
      deviceImport.importDevices,
    ),
    csv: 'body',
  },
  {
    ...post(
      '/device/export/import_template',
      {
        ...lists,
        summary: 'Answers a table (text/csv) to fill in for an import',
        input: deviceImport.TemplateQuery,
        output: z.string(),
      },
      deviceImport.template,
    ),
    csv: 'answer',
  },
  get(
    '/device/get_count_by_driver_id',
    {
      ...lists,
      summary: 'Counts the devices of a driver',
      input: OfDriver,
      output: z.number().int(),
    },
    device.countByDriver,
  ),
  rows.page('/device/list', device.DeviceQuery, device.page),
];
