import type { MqttClient, Packet } from 'mqtt';

/**
 * Sends the acknowledgement of a message (QoS 1) only after `taken` of its packet id, and takes the next messages
 * meanwhile. The client's own `customHandleAcks` would read nothing else until then, not even the answer to a ping: of
 * the packets that it sends, this one waits. A message that was not taken is never acknowledged: `failed` has to end
 * the connection, so that the broker sends it again.
 */
export function holdAcks(
  client: MqttClient,
  taken: (packetId: number) => Promise<void> | undefined,
  failed: (error: unknown) => void,
): void {
  const send: unknown = Reflect.get(client, '_sendPacket');
  // A version of the library without it must not acknowledge too early: test/contract/mqtt.
  if (typeof send !== 'function')
    throw new Error('the MQTT client has no way to hold acknowledgements');
  const holding = (packet: Packet, done?: () => void, ...rest: unknown[]): void => {
    const waiting =
      packet.cmd === 'puback' && packet.messageId !== undefined
        ? taken(packet.messageId)
        : undefined;
    if (!waiting) return void Reflect.apply(send, client, [packet, done, ...rest]);
    done?.();
    const acknowledge = (): void => {
      if (client.connected) Reflect.apply(send, client, [packet]);
    };
    waiting.then(acknowledge, failed);
  };
  Reflect.set(client, '_sendPacket', holding);
}
