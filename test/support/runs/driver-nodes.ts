import { freePort } from '../neighbours/free-port.ts';
import { testEnvironment } from '../world/environment.ts';
import { type Process, startProcess } from '../world/process.ts';

/** Nodes of drivers beside one process of the centers, on PostgreSQL and RabbitMQ: each a process of its own. */
export class DriverNodes {
  readonly base: string;
  readonly environment: Record<string, string>;
  readonly #processes: Process[] = [];

  private constructor(port: number, settings: Record<string, string>) {
    this.base = `http://127.0.0.1:${port}`;
    this.environment = {
      ...testEnvironment,
      SVC_LOG_LEVEL: 'warn',
      ...settings,
      SVC_BASE_URL: this.base,
      SVC_PORT: String(port),
    };
  }

  static async open(settings: Record<string, string>): Promise<DriverNodes> {
    return new DriverNodes(await freePort(), settings);
  }

  startCenters(): Promise<Process> {
    return this.#start({ SVC_ROLES: 'gateway,auth,manager,data,agentic' }, /^ {2}Database /);
  }

  startNode(own: Record<string, string>): Promise<Process> {
    return this.#start(own, /^ {2}Node /);
  }

  async #start(own: Record<string, string>, begun: RegExp): Promise<Process> {
    const process = startProcess(['src/main.ts', 'serve'], { ...this.environment, ...own });
    this.#processes.push(process);
    await process.line(begun);
    return process;
  }

  /** What all of them logged with this text, at most 40 lines of 300 characters. */
  logged(text: string): string[] {
    return this.#processes
      .flatMap(({ output }) => output.filter((line) => line.includes(text)))
      .slice(0, 40)
      .map((line) => line.slice(0, 300));
  }

  /** Ends all of them at once, as a loss of power does. */
  async kill(): Promise<void> {
    for (const process of this.#processes) await process.kill();
  }
}
