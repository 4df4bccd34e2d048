import { z } from 'zod';

import * as latestValue from '../../src/data/value/latest-value.ts';
import type { ResourceList } from '../../src/kernel/app/app.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { clean } from '../../src/kernel/sentence/visible.ts';
import * as device from '../../src/manager/device/device.ts';
import { Reported, Visible, Unit } from '../shape/text.ts';
import { defineResource } from './define.ts';
import { listOf, visibleList } from './list.ts';
import { readBy } from './read-by.ts';

const PAGE = 20;
const MAX_NAME = 64;

const deviceId = Id.describe('Device id');

const devices: ResourceList = {
  permission: 'svc-center-manager:device:list',
  async page(app, caller, current) {
    const page = await device.page(app, caller, { page: { current, size: PAGE } });
    const entries = page.records.map(({ id, deviceName }) => ({
      params: { deviceId: id },
      name: clean(deviceName, MAX_NAME),
    }));
    return { entries, hasMore: page.current < page.pages };
  },
};

export const deviceResources = [
  readBy('lookupDeviceById', {
    uri: 'svc://device/{deviceId}',
    name: 'device',
    title: 'Device',
    description: 'Names, driver and profile of a device, and whether it is online.',
    params: z.strictObject({ deviceId }),
    follows: (params) => [`device:${String(params['deviceId'])}`],
    list: devices,
  }),
  defineResource({
    uri: 'svc://device/{deviceId}/point',
    name: 'device-points',
    title: 'Latest values of a device',
    domain: 'Point value',
    description:
      'The points of a device, each with its newest stored value, its quality and age, and whether a newer one is overdue.',
    permission: 'svc-center-data:point_value:list',
    params: z.strictObject({ deviceId }),
    output: listOf(
      z.object({
        pointId: z.string(),
        pointName: Visible(),
        value: Reported(64).nullable(),
        unit: Unit,
        quality: z.string().nullable(),
        createTime: z.string().nullable(),
        ageS: z.number().nullable(),
        stale: z.boolean().nullable(),
      }),
    ).extend({ deviceId: z.string() }),
    async read(app, caller, given) {
      const query = { ...given, page: { current: 1, size: PAGE } };
      const page = await latestValue.latest(app, caller, query);
      const records = page.records.map((row) => ({
        pointId: row.pointId,
        pointName: row.pointName,
        value: row.hasLatestValue ? row.calValue : null,
        unit: row.unit,
        quality: row.quality,
        createTime: row.createTime,
        ageS: row.ageS,
        stale: row.stale,
      }));
      return { deviceId: given.deviceId, ...visibleList(page.total, records) };
    },
  }),
  readBy('getLatestPointValue', {
    uri: 'svc://device/{deviceId}/point/{pointId}/value',
    name: 'point-value',
    title: 'Latest value of a point',
    description: 'The newest stored value of a point of a device, with quality and age.',
    params: z.strictObject({ deviceId, pointId: Id.describe('Point id, of its profile') }),
  }),
];
