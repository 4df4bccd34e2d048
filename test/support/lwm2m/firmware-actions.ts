import { z } from 'zod';

import { inTenant } from '../../../src/db/tenant.ts';
import { add } from '../devices/plant.ts';
import { ACTIONS } from '../people/actions.ts';
import { programFor } from '../people/bearer.ts';
import { request, type Session } from '../people/session.ts';
import { Attributes } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { fresh } from '../world/fresh-name.ts';
import { lwm2mDevice } from './device.ts';
import { registersFirmware } from './registers-firmware.ts';
import { packageOf } from './rollout.ts';

const MANAGER = '/api/v3/manager';

const FirmwareAction = z.looseObject({
  actionId: z.string(),
  status: z.string(),
  digest: z.string(),
  title: z.string(),
  say: z.string(),
  tainted: z.array(z.unknown()),
  repeated: z.boolean().optional(),
  firmware: z.looseObject({
    sha256: z.string().nullable(),
    packageUri: z.string(),
    rolloutId: z.string().nullable(),
    devices: z.array(z.looseObject({ deviceId: z.string(), deviceName: z.string() })),
    leftOut: z.array(z.looseObject({ code: z.string(), say: z.string() })),
    notes: z.array(z.looseObject({ code: z.string(), say: z.string() })),
    receipt: z.looseObject({ counts: z.record(z.string(), z.number()) }).nullable(),
  }),
});

/** A credential: what is sent with a request. */
export type Post = (path: string, body: object) => Promise<{ status: number; body: unknown }>;

/** What tests of proposed firmware do all the time. */
export function firmwareIn(world: World, session: Session = world.admin) {
  const post: Post = (path, body) => session.post(path, body);
  return {
    /** A device that registered object 5 once; nothing runs it. */
    async device(configs: Record<string, string> = {}) {
      const endpoint = fresh('urn:gate');
      const made = await lwm2mDevice(session, { endpoint, ...configs });
      await registersFirmware(world.app, session.tenantId, made.deviceId);
      return { ...made, endpoint };
    },
    package: (version = '2.0.0') => packageOf({ admin: session }, version),
    propose: (body: object, by: Post = post) => by(`${ACTIONS}/propose_firmware`, body),
    async proposed(body: object, by: Post = post) {
      const { status, body: answer } = await by(`${ACTIONS}/propose_firmware`, body);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
      return FirmwareAction.parse(z.object({ data: z.unknown() }).parse(answer).data);
    },
    confirm: (actionId: string, digest?: string) =>
      session.post(`${ACTIONS}/confirm`, { actionId, ...(digest && { digest }) }),
    look: async (actionId: string) =>
      FirmwareAction.parse(await session.data(`${ACTIONS}/get`, undefined, { actionId })),
    rolloutsOf: (actionId: string) =>
      inTenant(world.app.db, session.tenantId, (q) =>
        q
          .selectFrom('svc_firmware_rollout')
          .select(['id', 'status', 'held'])
          .where('tenantId', '=', session.tenantId)
          .where('actionId', '=', actionId)
          .execute(),
      ),
  };
}

/** A service account with its own token for the REST API. */
export async function firmwareAgent(by: Session) {
  const made = await programFor(by, { scope: 'svc:read svc:propose', audience: 'api' });
  const headers = { authorization: `Bearer ${made.token}` };
  const post: Post = (path, body) => request(by.base, 'POST', path, { body, headers });
  return { ...made, post };
}

/** Sets an attribute of a device, whether it has one or not. */
export async function configureDevice(
  { deviceId, driverId }: { deviceId: string; driverId: string },
  code: string,
  configValue: string,
  by: Session,
) {
  const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
  const attributes = Attributes.parse(await by.data(path, undefined, { driver_id: driverId }));
  const attributeId = attributes.find(({ attributeCode }) => attributeCode === code)?.id;
  const rows = z.array(z.looseObject({ id: z.string(), attributeId: z.string() })).parse(
    await by.data(`${MANAGER}/driver_attribute_config/list_by_device_id`, undefined, {
      device_id: deviceId,
    }),
  );
  const there = rows.find((row) => row.attributeId === attributeId);
  return there
    ? by.data(`${MANAGER}/driver_attribute_config/update`, { id: there.id, configValue })
    : add(by, 'driver_attribute_config', { deviceId, attributeId, configValue });
}
