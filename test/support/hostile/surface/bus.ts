import type { Bus, Delivery } from '../../../../src/bus/bus.ts';
import { type TopicName, topics } from '../../../../src/bus/topic/topics.ts';
import { newAttacker } from '../attacker.ts';
import { keyOf, payloadOf, topicNames } from '../payloads.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Site, Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutated, mutatedFields } from '../values.ts';

const WIDTH = 4;
/** A handler that is still at it after this long counts as stuck. */
const PATIENCE_MS = 20_000;

type Handle = (payload: unknown, delivery: Delivery) => Promise<void>;

/**
 * Messages: through the bus, which parses them, and past it straight into the consumers, which must
 * survive what no schema has seen.
 */
export const bus: Surface = {
  name: 'bus',
  async beside() {
    const handlers = new Map<TopicName, Handle[]>();
    return {
      environment: {},
      tap: (inner) => tapped(inner, handlers),
      attack: (site) => attack(site, handlers),
      async stop() {},
    };
  },
};

function tapped(inner: Bus, handlers: Map<TopicName, Handle[]>): Bus {
  return {
    ...inner,
    subscribe(topic, options, handle) {
      const known = handlers.get(topic) ?? [];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the point is to hand it anything
      handlers.set(topic, [...known, handle as Handle]);
      return inner.subscribe(topic, options, handle);
    },
  };
}

async function attack(site: Site, handlers: Map<TopicName, Handle[]>): Promise<void> {
  const { world, random, tally, inputs, until } = site;
  const { own } = await newAttacker(world);
  const names = topicNames();
  await inParallel(
    inputs,
    WIDTH,
    async () => {
      const topic = random.pick(names);
      const good = payloadOf(topic, own, random);
      const bad = deeplyMutated(random, good);
      const past = random.chance(0.5);
      const startedAt = performance.now();
      const outcome = past
        ? await outcomeOf(intoConsumers(handlers.get(topic) ?? [], bad))
        : await outcomeOf(published(world.bus, topic, bad, good));
      const ms = performance.now() - startedAt;
      const wrong = outcome === 'stuck' ? 'a consumer is stuck' : null;
      // The bus tries again three times, 200 ms apart, before its publisher hears.
      const own4 = past ? ms : Math.max(0, ms - 2_000);
      tally.count(
        `${past ? 'past the schema' : 'published'}: ${outcome}`,
        own4,
        wrong,
        `${topic} ${jsonOf(bad).slice(0, 400)}`,
      );
    },
    until,
  );
}

/** One field changed, at the top or inside. */
function deeplyMutated(random: Random, payload: Record<string, unknown>): unknown {
  if (random.chance(0.05)) return hostileValue(random);
  const [name, value] = random.pick(Object.entries(payload));
  if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
    const items = value.map((item: unknown) =>
      typeof item === 'object' && item !== null ? mutatedFields(random, item, 1) : item,
    );
    return { ...payload, [name]: items };
  }
  return random.chance(0.5)
    ? mutatedFields(random, payload, 1)
    : { ...payload, [name]: mutated(random, value) };
}

async function intoConsumers(handlers: readonly Handle[], payload: unknown): Promise<string> {
  const delivery: Delivery = { messageId: 'hostile', attempt: 4, ack() {} };
  for (const handle of handlers) await handle(structuredClone(payload), delivery);
  return handlers.length === 0 ? 'nobody listens' : 'handled';
}

async function published(
  to: Bus,
  topic: TopicName,
  bad: unknown,
  good: Record<string, unknown>,
): Promise<string> {
  const parsed = topics[topic].payload.safeParse(bad);
  if (!parsed.success) return 'refused by the schema';
  await to.publish(topic, parsed.data, { key: keyOf(good) });
  return 'taken';
}

async function outcomeOf(work: Promise<string>): Promise<string> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('stuck'), PATIENCE_MS);
  try {
    return await Promise.race([work, late.promise]);
  } catch {
    return 'rejected';
  } finally {
    clearTimeout(timer);
  }
}
