import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MachineError } from '../../../contract/errors.ts'
import type { StoredTemplate } from './template-store.ts'

const script = join(import.meta.dirname, 'hold-memory.pl')

interface Held {
  readonly version: string
  readonly child: ChildProcess
  /** The file from which machines get the memory. */
  readonly path: Promise<string>
}

/** Holds the memory of templates that machines start from, each in a process that does nothing else. */
export class MemoryHolder {
  readonly #held = new Map<string, Held>()

  /** Returns the file with the memory of a template, which is read into memory when it is used for the first time. */
  pathOf(key: string, { version, memory }: StoredTemplate): Promise<string> {
    const held = this.#held.get(key)
    if (held?.version === version) return held.path
    this.release(key)
    return this.#hold(key, version, memory).path
  }

  release(key: string): void {
    const held = this.#held.get(key)
    this.#held.delete(key)
    held?.child.kill('SIGKILL')
  }

  close(): void {
    for (const key of [...this.#held.keys()]) this.release(key)
  }

  #hold(key: string, version: string, source: string): Held {
    const child = spawn('perl', [script, source], { stdio: ['pipe', 'pipe', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-500)
    })
    const path = new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).once('line', fd => {
        // It must not keep the service from exiting, and ends with it.
        child.unref()
        for (const stream of [child.stdin, child.stdout, child.stderr])
          if (stream instanceof Socket) stream.unref()
        resolve(`/proc/${child.pid}/fd/${fd}`)
      })
      child.once('error', reject)
      child.once('close', () => {
        // Whoever asks next starts another one.
        if (this.#held.get(key)?.child === child) this.#held.delete(key)
        reject(
          new MachineError('MACHINE_FAILED', `the memory of a template cannot be read: ${errors.trim()}`),
        )
      })
    })
    path.catch(() => {})
    child.stdin.on('error', () => {})
    const held = { version, child, path }
    this.#held.set(key, held)
    return held
  }
}
