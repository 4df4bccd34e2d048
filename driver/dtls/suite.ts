/** An AEAD cipher suite with a pre-shared key. */
export type Suite = {
  id: number;
  cipher: 'aes-128-ccm' | 'aes-128-gcm';
  tagBytes: number;
};

/** In the order of preference: what LwM2M devices have comes first (OMA Transport 1.1, 5.2.8). */
export const suites: readonly Suite[] = [
  // TLS_PSK_WITH_AES_128_CCM_8, TLS_PSK_WITH_AES_128_CCM (RFC 6655)
  { id: 0xc0_a8, cipher: 'aes-128-ccm', tagBytes: 8 },
  { id: 0xc0_a4, cipher: 'aes-128-ccm', tagBytes: 16 },
  // TLS_PSK_WITH_AES_128_GCM_SHA256 (RFC 5487)
  { id: 0x00_a8, cipher: 'aes-128-gcm', tagBytes: 16 },
];

export const KEY_BYTES = 16;
export const IV_BYTES = 4;
