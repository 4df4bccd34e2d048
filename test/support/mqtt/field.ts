import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';

/** A device of our own behind a broker, with a set-point that it reports when it is written or asked for. */
export type Field = {
  client: MqttClient;
  setPoint(): number;
  writes(): number;
  /** Sends a message as this device. */
  send(topic: string, payload: string | Buffer, retain?: boolean): Promise<void>;
  stop(): Promise<void>;
};

/** It lives below `name/`: `set` writes, `get/x` asks, `status` says whether it is there. */
export async function startField(
  url: string,
  { name = 'dev-1', options = {} }: { name?: string; options?: Partial<IClientOptions> } = {},
): Promise<Field> {
  let setPoint = 20;
  let writes = 0;
  const will = {
    topic: `${name}/status`,
    payload: Buffer.from('offline'),
    qos: 1,
    retain: true,
  } as const;
  const client = await connectAsync(url, {
    protocolVersion: 5,
    will,
    reconnectPeriod: 200,
    ...options,
  });
  const send: Field['send'] = async (topic, payload, retain = false) => {
    await client.publishAsync(topic, payload, { qos: 1, retain });
  };
  const values: Record<string, () => string> = {
    temperature: () => '21.5',
    setPoint: () => String(setPoint),
    state: () => '"fine"',
  };
  client.on('message', (topic, payload, { properties }) => {
    if (topic === `${name}/set`) {
      writes += 1;
      setPoint = Number(payload.toString());
      const reply = properties?.responseTopic;
      if (reply) {
        const data = properties?.correlationData;
        void client.publishAsync(reply, 'true', {
          qos: 1,
          properties: { ...(data && { correlationData: data }) },
        });
      }
      void send(`${name}/setPoint`, String(setPoint));
    }
    const asked = topic.startsWith(`${name}/get/`) ? topic.slice(name.length + 5) : '';
    const value = values[asked];
    if (value) void send(`${name}/${asked}`, value());
  });
  await client.subscribeAsync([`${name}/set`, `${name}/get/+`], { qos: 1 });
  await send(`${name}/status`, 'online', true);
  return {
    client,
    setPoint: () => setPoint,
    writes: () => writes,
    send,
    async stop() {
      if (client.connected) await send(`${name}/status`, 'offline', true);
      await client.endAsync();
    },
  };
}

/** Sends with Mosquitto's own client, which shares no code with ours. */
export async function mosquittoPub(port: number, ...words: readonly string[]): Promise<void> {
  const child = spawn('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(port), ...words], {
    stdio: 'ignore',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`mosquitto_pub ended with ${code}`);
}

/** Time for what must not happen to happen. */
export const quietly = (): Promise<void> => sleep(400);
