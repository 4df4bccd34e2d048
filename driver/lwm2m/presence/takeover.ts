import { randomBytes } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { CoapReply, CoapRequest, Peer, Silence } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import type { PeerChange } from '../registration/peer-changes.ts';
import { isSameHost } from '../registration/peer.ts';
import type { Registration, Registrations } from '../registration/registration.ts';
import { parseRegistration } from '../registration/request.ts';

/** Whether a peer answers at its address; `busy` when no request could be sent. */
export type Presence = 'present' | 'silent' | 'busy';

/** Time for which an answer proves presence, so that repeated attempts do not cause repeated requests. */
const PRESENT_FOR_MS = 10_000;
const MAX_ASKED = 1_000;
/** So long a request goes unanswered before a device that comes from another address is taken for restarted. */
const PATIENCE_MS = 1_000;
/** What a device sends to its new location before it counts. */
const MAX_REQUESTS = 8;
const MAX_ROUNDS = 3;

/** Requests that were answered as if they had been done; they are done once the former address is known to be silent. */
type Claim = { id: string; requests: [CoapRequest, ...CoapRequest[]] };
type Comparison = {
  former: Registration;
  presence: Promise<Presence>;
  /** Resolves when the claimant gets its answer although the comparison goes on. */
  patience: Promise<'unknown'>;
  claim: Claim | null;
};

type Parts = {
  registrations: Registrations;
  /** Sends the peer one small request, repeated like any other. */
  ask: (registration: Registration) => Promise<Presence>;
  silenceOf: (peer: Peer) => Silence | null;
  /** Whether the device may go from one address to the other without a word. */
  isTrusted: (deviceId: string, from: Peer, to: Peer) => boolean;
  /** Ends what was sent to an address at which the device is no more. */
  leave: (peer: Peer) => void;
  /** Called when a registration moved to another address. */
  changed: (change: PeerChange) => void;
  clock: Clock;
  log: Log;
};

/**
 * Keeps a living registration with its peer on the clear port, where only the address tells two devices
 * apart: another address gets the registration only when the former peer does not answer. A device
 * restarted behind the same address is the same peer; a move to another address is reported.
 *
 * A device that restarts while a request to it is under way is let in at once: it may stay away for hours after a 5.03.
 * Until the former address has been compared it counts for nothing, so a stranger gets nothing by it.
 */
export class Takeover {
  readonly #parts: Parts;
  /** By endpoint. */
  readonly #comparing = new Map<string, Comparison>();
  /** By the location that a claimant was given. */
  readonly #claims = new Map<string, Comparison>();
  readonly #present = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the path is a location that a claimant was given. */
  holds([root, id = '']: readonly string[]): boolean {
    return root === 'rd' && this.#claims.has(id);
  }

  readonly answer = async (request: CoapRequest, round = 0): Promise<CoapReply> => {
    const { registrations } = this.#parts;
    const open = this.holds(request.path) && this.#claims.get(request.path[1] ?? '');
    if (open) return this.#follow(open, request);
    const former = registrations.contested(request);
    if (!former) return registrations.answer(request);
    if (this.#parts.isTrusted(former.deviceId, former.peer, request.peer))
      return this.#move(former, request);
    if (this.#isPresent(former)) return { code: Code.FORBIDDEN };
    const comparison = this.#comparisonOf(former);
    if (!comparison || round > MAX_ROUNDS) return { code: Code.SERVICE_UNAVAILABLE };
    const presence = await Promise.race([comparison.presence, comparison.patience]);
    if (presence === 'present') return { code: Code.FORBIDDEN };
    if (presence === 'busy') return { code: Code.SERVICE_UNAVAILABLE };
    if (presence === 'unknown') {
      const reply = this.#accept(comparison, request);
      if (reply) return reply;
      await comparison.presence;
      return this.answer(request, round + 1);
    }
    if (registrations.contested(request) !== former) return this.answer(request, round + 1);
    return this.#move(former, request);
  };

  #isPresent({ endpoint, peer }: Registration): boolean {
    const { clock, silenceOf } = this.#parts;
    const until = this.#present.get(endpoint) ?? 0;
    if (until > clock.now() && !silenceOf(peer)) return true;
    this.#present.delete(endpoint);
    return false;
  }

  /** One for each registration, whatever the number of claimants; null where too many are under way. */
  #comparisonOf(former: Registration): Comparison | null {
    const { clock, silenceOf } = this.#parts;
    const { endpoint } = former;
    const known = this.#comparing.get(endpoint);
    if (known) return known;
    if (this.#comparing.size >= MAX_ASKED) return null;
    const silence = silenceOf(former.peer);
    const { promise: patience, resolve } = Promise.withResolvers<'unknown'>();
    const waitMs = Math.max(0, PATIENCE_MS - (silence?.forMs ?? 0));
    // Without a request under way the answer comes in a moment, or the device is not there.
    const cancel = silence ? clock.after(waitMs, () => resolve('unknown')) : () => {};
    const presence = this.#ask(former).then((found) => {
      cancel();
      this.#comparing.delete(endpoint);
      // Before those that wait for the same comparison.
      this.#settle(comparison, found);
      return found;
    });
    const comparison: Comparison = { former, presence, patience, claim: null };
    this.#comparing.set(endpoint, comparison);
    return comparison;
  }

  async #ask(former: Registration): Promise<Presence> {
    const { ask, registrations, clock, log } = this.#parts;
    const { endpoint, expiresAt, peer } = former;
    try {
      const answered = await ask(former);
      const current = registrations.of(former.deviceId);
      // A message from the device meanwhile counts as an answer.
      const spoke = current === former && former.expiresAt !== expiresAt;
      if (answered !== 'present' && !spoke) return answered;
      this.#present.set(endpoint, clock.now() + PRESENT_FOR_MS);
      if (this.#present.size > MAX_ASKED)
        for (const [name] of this.#present) this.#present.delete(name);
      log.warn({ endpoint, peer }, 'registration refused, its device answers elsewhere');
      return 'present';
    } catch (error) {
      log.error({ endpoint, error }, 'a device was not asked whether it is there');
      return 'busy';
    }
  }

  /** The answer to a claim that counts later; null where it has to wait. */
  #accept(comparison: Comparison, request: CoapRequest): CoapReply | null {
    const { claim } = comparison;
    // Of two hosts the first one gets an answer now.
    if (request.method !== 'POST' || (claim && !isSameHost(claim.requests[0].peer, request.peer)))
      return null;
    const parameters = parseRegistration(request);
    if (typeof parameters === 'number') return { code: parameters };
    const [, location] = request.path;
    if (claim && claim.id === location) return this.#append(claim, request);
    if (claim) this.#claims.delete(claim.id);
    const id = location ?? randomBytes(8).toString('hex');
    comparison.claim = { id, requests: [request] };
    if (location !== undefined) return { code: Code.CHANGED };
    this.#claims.set(id, comparison);
    return { code: Code.CREATED, locationPath: ['rd', id] };
  }

  /** What a claimant sends to the location that it was given. */
  #follow(comparison: Comparison, request: CoapRequest): CoapReply {
    const { claim } = comparison;
    if (!claim || !isSameHost(claim.requests[0].peer, request.peer))
      return { code: Code.NOT_FOUND };
    if (request.method === 'DELETE') {
      this.#claims.delete(claim.id);
      comparison.claim = null;
      return { code: Code.DELETED };
    }
    if (request.method !== 'POST') return { code: Code.METHOD_NOT_ALLOWED };
    const parameters = parseRegistration(request);
    return typeof parameters === 'number' ? { code: parameters } : this.#append(claim, request);
  }

  #append({ requests }: Claim, request: CoapRequest): CoapReply {
    if (requests.length < MAX_REQUESTS) requests.push(request);
    return { code: Code.CHANGED };
  }

  #settle({ former, claim }: Comparison, presence: Presence): void {
    const { registrations } = this.#parts;
    if (!claim) return;
    this.#claims.delete(claim.id);
    const [first, ...later] = claim.requests;
    if (presence !== 'silent' || registrations.contested(first) !== former) return;
    this.#move(former, first, claim.id);
    for (const request of later) registrations.answer(request);
  }

  #move(former: Registration, request: CoapRequest, location?: string): CoapReply {
    const { registrations, leave, isTrusted, changed, clock } = this.#parts;
    const { endpoint, deviceId, peer: from } = former;
    const reply = registrations.answer(request, location);
    if (reply.code !== Code.CREATED && reply.code !== Code.CHANGED) return reply;
    if (!registrations.at(from)) leave(from);
    if (isSameHost(from, request.peer) || isTrusted(deviceId, from, request.peer)) return reply;
    const id = randomBytes(8).toString('hex');
    const at = clock.now();
    changed({ id, endpoint, deviceId, from, to: request.peer, at, reported: false });
    return reply;
  }
}
