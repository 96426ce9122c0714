import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { MachineError } from '../../../../contract/errors.ts'
import type {
  FileChange,
  FileInfo,
  FileOptions,
  FileRange,
  Files,
  FolderPage,
  ListOptions,
  MoveOptions,
  OpenFile,
  SmallFile,
  WriteOptions,
} from '../../../../contract/files.ts'
import type { CommandLine, GuestProfile } from '../../../../contract/guest-profile.ts'
import { fileError } from '../../../posix/file-errors.ts'
import { createByWriting, readSmallByOpening } from '../../../posix/small-files.ts'
import { requireUser } from '../agent/exec.ts'
import type { Ask, GuestAgent } from '../agent/guest-agent.ts'
import { awaitProgram, startProgram } from '../agent/run-program.ts'
import type { ConsoleAccess } from '../console-access.ts'
import type { FileScripts } from './file-scripts.ts'
import { GuestFile } from './guest-file.ts'
import { openFile } from './open-file.ts'
import { posixFileScripts } from './posix-file-scripts.ts'
import { windowsFileScripts } from './windows-file-scripts.ts'

const what = 'files'
const pageSize = 1000

/** The files of a machine that has QEMU's guest agent. Content goes through the agent, and the rest is done by programs. */
export class ConsoleFiles implements Files {
  readonly #agent: GuestAgent
  readonly #guest: GuestProfile
  readonly #access: Pick<ConsoleAccess, 'assertStorable'>
  readonly #scripts: FileScripts

  constructor(agent: GuestAgent, guest: GuestProfile, access: Pick<ConsoleAccess, 'assertStorable'>) {
    this.#agent = agent
    this.#guest = guest
    this.#access = access
    this.#scripts = guest.os === 'windows' ? windowsFileScripts : posixFileScripts
  }

  async open(path: string, o: FileOptions = {}): Promise<OpenFile> {
    const place = this.#place(path, o)
    const conversation = await this.#agent.begin(what, o.signal)
    const describe = () => printed(conversation.ask, this.#scripts.stat(place, true), place)
    try {
      const before = await describe()
      const info = this.#scripts.infoOf(before, place)
      if (info.kind !== 'file') throw fileError('not a regular file', place)
      const file = await GuestFile.open(conversation.ask, place, 'rb')
      const isSame = async () => (await describe().catch(() => '')) === before
      return openFile({ file, info, path: place, isSame, close: () => conversation.close() })
    } catch (error) {
      conversation.close()
      throw error
    }
  }

  async read(path: string, o: FileOptions & FileRange = {}): Promise<Readable> {
    return (await this.open(path, o)).read(o)
  }

  async write(path: string, content: Readable | Uint8Array, o: WriteOptions = {}): Promise<FileInfo> {
    const place = this.#place(path, o)
    await this.#access.assertStorable(o.size ?? (content instanceof Readable ? 0 : content.length))
    const part = `${place}.${randomBytes(9).toString('hex')}.part`
    return await this.#agent.with(what, o.signal, async ask => {
      await printed(ask, this.#scripts.beginWrite(place), place)
      const file = await GuestFile.open(ask, part, 'wb')
      try {
        for await (const piece of content instanceof Readable ? content : [content]) await file.write(piece)
        await file.flush()
        await file.close()
        const line = await printed(ask, this.#scripts.finishWrite(part, place, o.mode ?? 0o644), place)
        return this.#scripts.infoOf(line, place)
      } catch (error) {
        await this.#discard(part, file)
        throw error
      }
    })
  }

  async create(path: string, content: Uint8Array, o: FileOptions = {}): Promise<FileInfo> {
    return await createByWriting(this, path, content, o)
  }

  async readSmall(path: string, o: FileOptions = {}): Promise<SmallFile> {
    return await readSmallByOpening(this, path, o)
  }

  async copy(from: string, to: string, o: FileOptions = {}): Promise<FileInfo> {
    const [source, target] = [this.#place(from, o), this.#place(to, o)]
    await this.#access.assertStorable(0)
    return this.#scripts.infoOf(await this.#run(this.#scripts.copy(source, target), source, o), target)
  }

  async stat(path: string, o: FileOptions = {}): Promise<FileInfo> {
    const place = this.#place(path, o)
    return this.#scripts.infoOf(await this.#run(this.#scripts.stat(place, false), place, o), place)
  }

  async list(path: string, o: ListOptions = {}): Promise<FolderPage> {
    const place = this.#place(path, o)
    const all = this.#scripts
      .entriesOf(await this.#run(this.#scripts.list(place), place, o), place)
      .filter(({ name }) => o.after === undefined || name > o.after)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const page = all.slice(0, Math.min(o.limit ?? pageSize, pageSize))
    const entries = await this.#withTargets(page, place, o)
    return { entries, ...(all.length > page.length && { next: page.at(-1)?.name ?? '' }) }
  }

  async makeDirectory(path: string, o: FileOptions = {}): Promise<void> {
    const place = this.#place(path, o)
    await this.#access.assertStorable(0)
    await this.#run(this.#scripts.makeDirectory(place), place, o)
  }

  async move(from: string, to: string, o: MoveOptions = {}): Promise<void> {
    const [source, target] = [this.#place(from, o), this.#place(to, o)]
    await this.#run(this.#scripts.move(source, target, o.overwrite ?? true), source, o)
  }

  async remove(path: string, o: FileOptions = {}): Promise<void> {
    const place = this.#place(path, o)
    await this.#run(this.#scripts.remove(place), place, o)
  }

  async watch(): Promise<AsyncIterable<FileChange>> {
    throw new MachineError(
      'LACKS_AGENT',
      "The system in this machine has no agent of ours, and QEMU's guest agent does not watch folders. List the folder now and then.",
    )
  }

  async #withTargets(
    page: readonly FileInfo[],
    folder: string,
    o: FileOptions,
  ): Promise<readonly FileInfo[]> {
    const links = page.filter(({ kind }) => kind === 'symlink').map(({ name }) => name)
    const command = links.length > 0 && this.#scripts.targets?.(folder, links)
    if (!command) return page
    const targets = (await this.#run(command, folder, o)).split('\0')
    return page.map(info =>
      info.kind === 'symlink' ? { ...info, target: targets[links.indexOf(info.name)] ?? '' } : info,
    )
  }

  #run(command: CommandLine, path: string, { signal }: FileOptions): Promise<string> {
    return this.#agent.with(what, signal, ask => printed(ask, command, path))
  }

  /** Removes what was written of a file. The conversation in which it was written may have ended. */
  async #discard(part: string, file: GuestFile): Promise<void> {
    await file.close().catch(() => {})
    await this.#run(this.#scripts.remove(part), part, {}).catch(() => {})
  }

  /** Makes the path absolute, so that no program takes it for an option. */
  #place(path: string, { user }: FileOptions): string {
    requireUser(this.#guest, user)
    if (path === '' || path.includes('\0'))
      throw new MachineError('INVALID', 'a path must not be empty or contain NUL')
    const { paths, home } = this.#guest
    return paths.isAbsolute(path) ? path : paths.join(home, path)
  }
}

/** Runs a program to its end, and resolves to what it printed. If it fails, its message becomes the error for `path`. */
async function printed(ask: Ask, command: CommandLine, path: string): Promise<string> {
  const { code, stdout, stderr } = await awaitProgram(ask, await startProgram(ask, command))
  if (code !== 0) throw fileError(stderr.toString(), path)
  return stdout.toString()
}
