import type { Guard } from '../../data/write/dispatch.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import type { Card } from '../action/card/card.ts';
import type { Framed, Proposer } from '../action/card/frame.ts';

/** A confirmation; the effect is stored in its transaction. */
type Confirming = {
  /** The person that confirms, or that approved beforehand. */
  caller: Caller;
  proposal: {
    tenantId: string;
    actionId: string;
    userId: string;
    clientId: string;
    isOfSteps: boolean;
  };
  now: number;
};

/** What a confirmation stores, and does after its commit. */
export type Begun = {
  /** Of the command that is to be sent after the commit; null for none. */
  commandId: string | null;
  stored: Promise<unknown>;
  after?: () => Promise<void>;
};

/** A card, and what its confirmation stores. */
export type Made = {
  card: Card;
  begin(app: App, q: Queries, confirming: Confirming): Begun;
};

export type Making = { app: App; q: Queries; proposer: Proposer; framed: Framed };

/** What one kind of action does its own way; everything else is the same for all. */
export type Kind = {
  /** In refusals: “the write is no longer allowed”. */
  noun: string;
  /** The tool that proposes it, which is the stored type. */
  tool: string;
  /** The permission that its proposer needs, also while it waits. */
  proposes: string;
  /** The permission that its proposer needs besides, where the card shows what is stored; null: none. */
  reads: string | null;
  /** The permission that confirming it needs besides that for confirming. */
  confirms: string;
  title(card: Card): string;
  isEqual(one: Card, other: Card): boolean;
  /** Whether a confirmation has to name the digest, besides tainted and renewed cards. */
  needsDigest(card: Card): boolean;
  /** Whether a standing approval may decide it. */
  isApprovable: boolean;
  /** Whether its whole effect is in the transaction of the confirmation. */
  isImmediate: boolean;
  /** Serialises confirmations that see each other. */
  locks(card: Card): string[];
  /** Makes the card again, as its proposal would be made now; throws as that. */
  remake(making: Making, old: Card): Promise<Made>;
  /** Changes to look at again before confirming, one phrase each. */
  changes(old: Card, fresh: Card): string[];
  /** Those that make a confirmation void. */
  changesOfEffect(old: Card, fresh: Card): string[];
  /** What moved within what the person was shown; empty: nothing. */
  movement(old: Card, fresh: Card): string;
  /** Sends the command after the commit, if the guard lets it; null: nothing is sent. */
  send:
    | ((app: App, which: { tenantId: string; commandId: string }, guard: Guard) => Promise<unknown>)
    | null;
};
