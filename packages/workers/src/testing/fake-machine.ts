import { PassThrough } from 'node:stream'
import type { FileInfo, Files, MachineProcess, OpenFile, ProcessExit } from '@sandglass/machines/contract'
import type { Served } from './through-rpc.ts'

const unexpected = () => Promise.reject(new Error('the test does not expect this call'))

/** A machine that can do nothing but what the test says. */
export function fakeMachine(files: Partial<Files>, more: Partial<Omit<Served, 'files'>> = {}): Served {
  return {
    files: {
      open: unexpected,
      read: unexpected,
      write: unexpected,
      create: unexpected,
      readSmall: unexpected,
      copy: unexpected,
      stat: unexpected,
      list: unexpected,
      makeDirectory: unexpected,
      move: unexpected,
      remove: unexpected,
      watch: unexpected,
      ...files,
    },
    exec: unexpected,
    dial: unexpected,
    ...more,
  }
}

export function fakeInfo(more: Partial<FileInfo> = {}): FileInfo {
  return { name: 'file', kind: 'file', size: 0, mode: 0o644, user: 0, group: 0, modifiedMs: 0, ...more }
}

export function fakeFile(size: number, more: Partial<OpenFile>): OpenFile {
  return {
    info: fakeInfo({ size }),
    read: () => new PassThrough(),
    sendTo: unexpected,
    close: () => {},
    ...more,
  }
}

/** A program that prints and does what the test says. */
export class FakeProcess implements MachineProcess {
  readonly pid = 7
  readonly stdin = new PassThrough()
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly exit = Promise.withResolvers<ProcessExit>()
  readonly exited = this.exit.promise
  readonly end = Promise.withResolvers<void>()
  readonly gone = this.end.promise
  readonly #released = Promise.withResolvers<void>()
  readonly released = this.#released.promise

  kill(): void {}
  resize(): void {}

  release(): void {
    this.#released.resolve()
  }
}
