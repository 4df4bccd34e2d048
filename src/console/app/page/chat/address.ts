/** The page of a conversation. */
export const addressOf = (conversationId: string): string =>
  `/chat/${encodeURIComponent(conversationId)}`;
