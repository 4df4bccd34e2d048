import { boundCommand, boundPoint } from '../../report/bound.ts';
import { textsIn } from '../../report/json.ts';
import { calledPayload, filledPayload } from '../../report/payload.ts';
import type { DriverCommand, DriverDevice, DriverPoint } from '../../sdk/driver.ts';
import { DriverFailure } from '../../sdk/driver.ts';
import { misconfigured, refused } from '../../sdk/failure.ts';
import type { BoundDevice } from '../device/binding.ts';
import { exchange } from './exchange.ts';
import { headersOf, type Pull } from './pull.ts';

/** RFC 9110, 15.5.9: the request may have come. */
const REQUEST_TIMEOUT = 408;

/**
 * Sends a value to the `writeUrl` of a point. Resolves for a success, which is no proof yet; throws `DriverFailure`, UNKNOWN
 * where the device may have done it.
 */
export async function sendValue(
  pull: Pull,
  of: BoundDevice,
  {
    device,
    point,
    raw,
    deadline,
  }: { device: DriverDevice; point: DriverPoint; raw: string; deadline: number },
): Promise<void> {
  const { settings, writeUrl: url, key } = boundPoint(of, point);
  if (!url) throw misconfigured('writeUrl: the point has none');
  const isJson = isJsonType(settings.writeType);
  const names = { device: device.name, point: key };
  const body = filledPayload(settings.writePayload, { point, settings, raw, isJson, names });
  const headers = { ...headersOf(of), 'content-type': settings.writeType };
  const request = { url, method: settings.writeMethod, headers, body };
  const { status } = await exchange(pull.exchangeParts, request, deadline);
  demandDone(status, 'write');
}

/**
 * Sends a call to the `url` of a command, and answers what the device gives back, by name. Throws as `sendValue`.
 */
export async function sendCall(
  pull: Pull,
  of: BoundDevice,
  {
    command,
    params,
    deadline,
  }: { command: DriverCommand; params: Readonly<Record<string, string>>; deadline: number },
): Promise<Record<string, string>> {
  const { settings, url } = boundCommand(of, command);
  const names = { device: of.key, command: command.code };
  const isJson = isJsonType(settings.type);
  const body = calledPayload(settings.payload, { params, names, isJson });
  const headers = { ...headersOf(of), 'content-type': settings.type, accept: 'application/json' };
  const request = { url, method: settings.method, headers, body, isCall: true } as const;
  const { status, text } = await exchange(pull.exchangeParts, request, deadline);
  demandDone(status, 'call');
  return textsIn(text, settings.resultPath ?? []);
}

const isJsonType = (type: string): boolean => /[/+]json\b/.test(type);

/** Throws `DriverFailure` where the status does not say that it was done. */
function demandDone(status: number, what: string): void {
  if (status >= 200 && status <= 299) return;
  if (status >= 400 && status <= 499 && status !== REQUEST_TIMEOUT)
    throw refused(`it answers the ${what} with status ${status}`);
  throw new DriverFailure('HTTP_STATUS', `it answers the ${what} with status ${status}`, 'UNKNOWN');
}
