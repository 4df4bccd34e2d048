import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { addRow, changeRow, deleteRow } from '../../kernel/entity/change.ts';
import { hold, lockedRow, lockedVersion, rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import type { ById } from '../../kernel/input/input.ts';
import { openValue, storedValue } from '../entity/secret-value.ts';
import type { AttributeKind } from '../entity/value-type.ts';
import type { AddConfig, UpdateConfig } from './attribute-config-input.ts';
import { Attribute, type AttributeTable, checkConfig } from './attribute.ts';
import { tellDrivers } from './driver-updates.ts';
import { claimEndpoint, followProof, freeEndpoint } from './endpoint-claim.ts';

type ConfigTable = `${AttributeTable}_config`;

/** The part of the profile that a config is for; none for an attribute of the driver itself. */
function partOf({ pointId, commandId, eventId }: AddConfig) {
  if (pointId) return { kind: 'point', id: pointId } as const;
  if (commandId) return { kind: 'command', id: commandId } as const;
  return eventId ? ({ kind: 'event', id: eventId } as const) : null;
}

/** The part of a stored config. */
function partIdOf(kind: AttributeKind, row: object): string | undefined {
  const [, id] = Object.entries(row).find(([column]) => column === `${kind}Id`) ?? [];
  return typeof id === 'string' ? id : undefined;
}

async function holdPart(q: Queries, tenantId: string, profileId: string, given: AddConfig) {
  const part = partOf(given);
  if (!part) return;
  const row = await hold(q, `svc_${part.kind}`, tenantId, part.id);
  if (row.profileId !== profileId)
    throw new Unprocessable(`The ${part.kind} does not belong to the device's profile`);
}

/** Operations that change the configs for attributes of one kind; driver attributes may claim a name. */
export function changesOf(kind: AttributeKind) {
  const attributes: AttributeTable = `svc_${kind}_attribute`;
  const table: ConfigTable = `${attributes}_config`;

  /** The transaction of `add`; answers the id of the config. */
  const addIn = async (q: Queries, app: App, caller: Caller, given: AddConfig): Promise<string> => {
    const { tenantId } = caller;
    const { deviceId, attributeId, configValue } = given;
    const { driverId, profileId } = await hold(q, 'svc_device', tenantId, deviceId);
    await holdPart(q, tenantId, profileId, given);
    const attribute = Attribute.of(await hold(q, attributes, tenantId, attributeId));
    checkConfig(attribute, driverId, configValue);
    const place = { kind, tenantId, deviceId, attributeId, partId: partOf(given)?.id };
    const kept = storedValue(app, place, attribute.attributeExt, configValue);
    const configId = await addRow(q, app, caller, table, { ...given, configValue: kept });
    const claim = { driverId, deviceId, configId, endpoint: configValue };
    if (kind === 'driver') {
      await claimEndpoint(q, tenantId, attribute, claim);
      await followProof(q, tenantId, attribute, deviceId);
    }
    return configId;
  };

  const add: Operation<AddConfig, string> = async (app, caller, given) => {
    const { tenantId } = caller;
    const adding = inTenant(app.db, tenantId, (q) => addIn(q, app, caller, given));
    const id = await conflictIfTaken('config', adding);
    await tellDrivers(app, tenantId, { deviceId: given.deviceId });
    return id;
  };

  /**
   * The transaction of `update`; answers the id of the device. Locks the device before the config, like a change of
   * the device, which deletes configs.
   */
  const updateIn = async (
    q: Queries,
    app: App,
    caller: Caller,
    given: UpdateConfig,
  ): Promise<string> => {
    const { id: configId, configValue } = given;
    const { tenantId } = caller;
    const { deviceId: holder } = await rowOf(q, table, tenantId, configId);
    const { driverId } = await hold(q, 'svc_device', tenantId, holder);
    const before = await lockedVersion(q, table, tenantId, given);
    const { attributeId } = before;
    const attribute = Attribute.of(await rowOf(q, attributes, tenantId, attributeId));
    if (configValue !== undefined) checkConfig(attribute, driverId, configValue);
    const place = { kind, tenantId, deviceId: holder, attributeId, partId: partIdOf(kind, before) };
    const isKept =
      openValue(app, place, attribute.attributeExt, before.configValue) === configValue;
    // Sealed again, the same value would be a change in the change log.
    const kept =
      configValue === undefined || isKept
        ? undefined
        : storedValue(app, place, attribute.attributeExt, configValue);
    await changeRow(q, app, caller, table, { ...given, configValue: kept });
    if (kind === 'driver' && configValue !== undefined) {
      const claim = { driverId, deviceId: holder, configId, endpoint: configValue };
      await claimEndpoint(q, tenantId, attribute, claim);
    }
    if (kind === 'driver') await followProof(q, tenantId, attribute, holder);
    return holder;
  };

  const update: Operation<UpdateConfig, void> = async (app, caller, given) => {
    const { tenantId } = caller;
    const deviceId = await inTenant(app.db, tenantId, (q) => updateIn(q, app, caller, given));
    await tellDrivers(app, tenantId, { deviceId });
  };

  const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
    const deviceId = await inTenant(app.db, tenantId, async (q) => {
      const config = await lockedRow(q, table, tenantId, id);
      await deleteRow(q, table, tenantId, id);
      if (kind === 'driver') {
        await freeEndpoint(q, tenantId, id);
        const attribute = await rowOf(q, attributes, tenantId, config.attributeId);
        await followProof(q, tenantId, Attribute.of(attribute), config.deviceId);
      }
      return config.deviceId;
    });
    await tellDrivers(app, tenantId, { deviceId });
  };

  return { add, update, remove, addIn, updateIn };
}
