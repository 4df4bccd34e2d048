import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';

import { Unreachable } from '../client/failure.ts';
import type * as Pages from '../page/other.ts';
import { Failed, Skeleton } from '../part/control/loaded.tsx';
import type { Parameters } from '../route/route.ts';

type Others = typeof Pages;

const others = signal<Others | null>(null);
const isFailed = signal(false);

/** Loads what the first page needs none of, so that going there does not wait for it. */
export async function startLazy(): Promise<void> {
  try {
    others.value = await import('../page/other.ts');
  } catch {
    isFailed.value = true;
  }
}

/** A page that is there once `startLazy` has it. */
export const lazyPage = (name: keyof Others) =>
  function Later(given: Parameters) {
    const Content: ComponentType<Parameters> | undefined = others.value?.[name];
    if (Content) return <Content {...given} />;
    // A platform that was updated meanwhile has other files: only the whole document names them.
    if (isFailed.value)
      return <Failed failure={new Unreachable()} again={() => location.reload()} />;
    return <Skeleton rows={6} />;
  };
