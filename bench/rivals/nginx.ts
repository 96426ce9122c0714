import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../../packages/machines/src/engines/local/host/run-command.ts'

/** Installs nginx unless it is installed. Only the program is used, with our own configurations. */
export async function installNginx(): Promise<void> {
  if (existsSync('/usr/sbin/nginx')) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runCommand('apt-get', ['update', '--quiet=2'], { env })
  await runCommand('apt-get', ['install', '--no-install-recommends', '--yes', 'nginx-light'], { env })
}

/** One nginx worker with this http section, in the network namespace of a process. */
export class Nginx {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(folder: string, name: string, netnsOf: number, http: string): Promise<Nginx> {
    const file = join(folder, `${name}.conf`)
    const text = `worker_processes 1; daemon off; pid ${folder}/${name}.pid; error_log ${folder}/${name}.log;
      events { worker_connections 1024; } http { access_log off; keepalive_requests 1000000000; ${http} }`
    await writeFile(file, text)
    const args = [`--net=/proc/${netnsOf}/ns/net`, 'nginx', '-e', `${folder}/${name}.log`, '-c', file]
    return new Nginx(spawn('nsenter', args, { stdio: 'ignore' }))
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}
