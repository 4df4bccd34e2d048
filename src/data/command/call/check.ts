import { BadRequest, NotFound, Unprocessable } from '../../../core/errors.ts';
import type { Queries } from '../../../db/connect.ts';
import { rowOf } from '../../../entity/row.ts';
import { configsFor } from '../../../manager/attribute/attribute-config.ts';
import { Device } from '../../../manager/device/device.ts';
import { Driver } from '../../../manager/driver/driver.ts';
import { type CommandParam, paramsOf } from '../../../manager/profile/command-param.ts';
import { Command } from '../../../manager/profile/command.ts';
import { canonical } from '../../../manager/profile/value-type.ts';

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
  const device = Device.of(await rowOf(q, 'svc_device', tenantId, asked.deviceId));
  if (device.enableFlag !== 'ENABLE') throw new Unprocessable('The device is disabled');
  const command = await commandOf(q, tenantId, device, asked);
  if (command.enableFlag !== 'ENABLE') throw new Unprocessable('The command is disabled');
  if (command.profileId !== device.profileId)
    throw new Unprocessable("The command does not belong to the device's profile");
  const driver = Driver.of(await rowOf(q, 'svc_driver', tenantId, device.driverId));
  if (driver.enableFlag !== 'ENABLE') throw new Unprocessable('The driver is disabled');
  const params = checkParams(await paramsOf(q, tenantId, command.id), asked.paramValues);
  const configs = await configsFor(q, 'command', tenantId, {
    deviceId: device.id,
    commandId: command.id,
  });
  const configSnapshot = Object.fromEntries(
    configs.map(({ attributeCode, configValue }) => [attributeCode, configValue]),
  );
  return { device, command, params, configSnapshot };
}

async function commandOf(
  q: Queries,
  tenantId: string,
  { profileId }: Device,
  { commandId, commandCode }: AskedCall,
): Promise<Command> {
  if (commandId) return Command.of(await rowOf(q, 'svc_command', tenantId, commandId));
  if (!commandCode)
    throw new BadRequest('Either commandId or commandCode says which command to call');
  const row = await q
    .selectFrom('svc_command')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', '=', profileId)
    .where('commandCode', '=', commandCode)
    .executeTakeFirst();
  if (!row) throw new NotFound('Command');
  return Command.of(row);
}

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
