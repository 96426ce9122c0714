import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Machine } from '@sandglass/machines/contract'
import { LocalEngine } from '@sandglass/machines/local'

/** Times commands inside a machine, each as a process as others start them there. HTTP is not included. */
export class InMachine {
  readonly machine: Machine

  private constructor(machine: Machine) {
    this.machine = machine
  }

  /** Opens the newest machine of a service on this box. */
  static async open(folder: string, imagesDir: string): Promise<InMachine[]> {
    const engine = new LocalEngine({ dataDir: join(folder, 'local'), imagesDir, uplink: 'none' })
    const machines = await engine.list()
    return Promise.all(machines.map(async ({ handle }) => new InMachine(await engine.open(handle))))
  }

  async write(path: string, content: Buffer): Promise<void> {
    await this.machine.files.write(path, content)
  }

  async shell(script: string): Promise<string> {
    return text((await this.machine.exec({ executable: 'sh', args: ['-c', script] })).stdout)
  }

  /** The milliseconds of each round; the commands of one round run in sequence. */
  async times(
    rounds: number,
    commands: (round: number) => readonly (readonly string[])[],
  ): Promise<number[]> {
    const all = Array.from({ length: rounds }, (_, round) => commands(round))
    await this.machine.files.write('/tmp/rounds.json', Buffer.from(JSON.stringify(all)))
    const printed = await this.shell(`python3 - <<'E'
import json, subprocess, time
times = []
for commands in json.load(open('/tmp/rounds.json')):
    start = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times.append((time.perf_counter() - start) * 1000)
print(json.dumps(times))
E`)
    return JSON.parse(printed)
  }

  close(): void {
    this.machine.close()
  }
}
