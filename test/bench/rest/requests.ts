import { jsonRequest } from '../load.ts';
import type { Plant } from '../platform/plant.ts';

const SIZE = 20;

/** A page of the tenant's devices, newest first. */
export const devicePage = (current = 1, filter: { deviceName?: string } = {}) =>
  jsonRequest('/api/v3/manager/device/list', { page: { current, size: SIZE }, ...filter });

/** The first page of each list that the API answers most. */
export const firstPages = ({ deviceId }: Plant) => ({
  'device-list': devicePage(),
  'point-list': jsonRequest('/api/v3/manager/point/list', { page: { current: 1, size: SIZE } }),
  latest: jsonRequest('/api/v3/data/point_value/latest', {
    page: { current: 1, size: SIZE },
    deviceId,
  }),
});

/** The last of a number of devices. */
export const lastPage = (devices: number): number => Math.ceil(devices / SIZE);
