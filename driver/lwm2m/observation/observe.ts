import type { Clock } from '../../../src/kernel/clock.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import { DriverFailure } from '../../sdk/driver.ts';
import { resourceOf } from '../codec/resource.ts';
import { givesWhole, isInstance } from '../operation/instance.ts';
import { answerOf, type Send, wholeAnswer, writeAttributes } from '../operation/request.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import { notificationAttributesOf } from './attributes.ts';
import type { Watched } from './observed-point.ts';

export const ASK_MS = 10_000;

/**
 * Asks a device to report a point, on its conditions; `take` gets the first value and each later one. Throws
 * `DriverFailure`.
 */
export async function begin({
  ports,
  clock,
  registration,
  watched,
  take,
}: {
  ports: Lwm2mPorts;
  clock: Clock;
  registration: Registration;
  watched: Watched;
  take: (response: CoapResponse) => void;
}): Promise<void> {
  await setConditions({ ports, clock, registration, watched });
  const target = { registration, ...resourceOf(watched.point), deadline: clock.now() + ASK_MS };
  const observe: Send = async (peer, request) => {
    const observation = await ports.observe(peer, request, take);
    watched.running = observation.running;
    return observation.response;
  };
  const isWhole = isInstance(target.path) && givesWhole(registration);
  const response = await (isWhole ? wholeAnswer : answerOf)(observe, target);
  take(response);
  if (!watched.running || watched.heardAt === null)
    throw new DriverFailure('NOT_OBSERVABLE', 'the device does not report the resource');
}

/** Tells a device on which conditions it is to report a point. Throws `DriverFailure`. */
export async function setConditions({
  ports,
  clock,
  registration,
  watched,
}: {
  ports: Lwm2mPorts;
  clock: Clock;
  registration: Registration;
  watched: Watched;
}): Promise<void> {
  const { point } = watched;
  const { pmaxS, query } = notificationAttributesOf(point);
  const target = { registration, ...resourceOf(point), deadline: clock.now() + ASK_MS };
  const write = (parts: readonly string[]) =>
    writeAttributes((peer, request) => ports.request(peer, request), target, parts);
  const removed = watched.query.map(nameOf).filter((name) => !query.some(isNamed(name)));
  // A name without a value takes the condition back (OMA Core 1.1, 5.1.2).
  if (removed.length > 0) await write(removed);
  await write(query);
  watched.query = query;
  watched.pmaxMs = pmaxS * 1_000;
}

const nameOf = (part: string): string => part.split('=', 1)[0] ?? '';
const isNamed = (name: string) => (part: string) => nameOf(part) === name;
