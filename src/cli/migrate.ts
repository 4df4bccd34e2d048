import type { Composition } from '../start/composition.ts';

/** Opening the database runs the migrations. */
export async function migrateCommand({ createApp, readSettings }: Composition): Promise<void> {
  const app = await createApp(readSettings());
  await app.bus.close();
  await app.db.close();
  process.stdout.write('The database is up to date.\n');
}
