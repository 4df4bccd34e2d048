import type { Queries } from '../../db/connect.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { BadRequest, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { Device } from '../../manager/device/device.ts';
import { configsFor } from '../../manager/driver/attribute-config.ts';
import { Driver } from '../../manager/driver/driver.ts';
import { canonical } from '../../manager/entity/value-type.ts';
import { type CommandParam, paramsOf } from '../../manager/profile/command-param.ts';
import { Command } from '../../manager/profile/command.ts';
import { driverOf, type Serving, servingOf } from './serving.ts';

export type AskedCall = {
  deviceId: string;
  commandId?: string | undefined;
  commandCode?: string | undefined;
  paramValues: Readonly<Record<string, string>>;
};

/** A checked call: parameters complete, in the canonical spelling of their type. */
export type CallTarget = {
  device: Device;
  command: Command;
  driver: Driver;
  serving: Serving;
  params: Record<string, string>;
  /** The device's configs for the command, secrets hidden. */
  configSnapshot: Record<string, string>;
};

/**
 * Checks in the order of point commands: throws NotFound (404) for a missing entity, BadRequest (400) without
 * a command, Unprocessable (422) for a disabled or mismatched entity or an invalid parameter.
 */
export async function checkCall(
  q: Queries,
  tenantId: string,
  asked: AskedCall,
): Promise<CallTarget> {
  const [found, foundCommand, foundDriver, serving] = await Promise.all([
    findRow(q, 'svc_device', tenantId, asked.deviceId),
    findCommand(q, tenantId, asked),
    driverOf(q, tenantId, asked.deviceId),
    servingOf(q, tenantId, asked.deviceId),
  ]);
  if (!found) throw new NotFound('Device');
  const device = Device.of(found);
  if (device.enableFlag !== 'ENABLE') throw new Unprocessable('The device is disabled');
  if (!asked.commandId && !asked.commandCode)
    throw new BadRequest('Either commandId or commandCode says which command to call');
  if (!foundCommand) throw new NotFound('Command');
  const command = Command.of(foundCommand);
  if (command.enableFlag !== 'ENABLE') throw new Unprocessable('The command is disabled');
  if (command.profileId !== device.profileId)
    throw new Unprocessable("The command does not belong to the device's profile");
  if (!foundDriver) throw new NotFound('Driver');
  const driver = Driver.of(foundDriver);
  if (driver.enableFlag !== 'ENABLE') throw new Unprocessable('The driver is disabled');
  const [defined, configs] = await Promise.all([
    paramsOf(q, tenantId, command.id),
    configsFor(q, 'command', tenantId, { deviceId: device.id, commandId: command.id }),
  ]);
  const params = checkParams(defined, asked.paramValues);
  const configSnapshot = Object.fromEntries(
    configs.map(({ attributeCode, configValue }) => [attributeCode, configValue]),
  );
  return { device, command, driver, serving, params, configSnapshot };
}

/** By id, else by its code in the profile of the device. */
const findCommand = (
  q: Queries,
  tenantId: string,
  { deviceId, commandId, commandCode = '' }: AskedCall,
) =>
  commandId
    ? findRow(q, 'svc_command', tenantId, commandId)
    : q
        .selectFrom('svc_command as c')
        .innerJoin('svc_device as d', (join) =>
          join.onRef('d.tenantId', '=', 'c.tenantId').onRef('d.profileId', '=', 'c.profileId'),
        )
        .selectAll('c')
        .where('c.tenantId', '=', tenantId)
        .where('d.id', '=', deviceId)
        .where('c.commandCode', '=', commandCode)
        .executeTakeFirst();

/** Fills in defaults; throws for a missing required parameter and for an unknown one. */
function checkParams(
  defined: readonly CommandParam[],
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const takes = defined.filter(
    ({ paramDirectionFlag, enableFlag }) =>
      paramDirectionFlag === 'INPUT' && enableFlag === 'ENABLE',
  );
  const codes = new Set(takes.map(({ paramCode }) => paramCode));
  const unknown = Object.keys(given).find((code) => !codes.has(code));
  if (unknown !== undefined)
    throw new Unprocessable(`The command has no parameter ${unknown.slice(0, 64)}`);
  const params: [string, string][] = [];
  for (const { paramCode, paramTypeFlag, requiredFlag, defaultValue } of takes) {
    const value = Object.hasOwn(given, paramCode) ? given[paramCode] : defaultValue || undefined;
    if (value === undefined) {
      if (requiredFlag) throw new Unprocessable(`The parameter ${paramCode} is required`);
      continue;
    }
    const accepted = canonical(paramTypeFlag, value);
    if (accepted === null)
      throw new Unprocessable(`The parameter ${paramCode} must be a ${paramTypeFlag}`);
    params.push([paramCode, accepted]);
  }
  return Object.fromEntries(params);
}
