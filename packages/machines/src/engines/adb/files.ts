import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { quote } from '../../adb/device-shell.ts'
import { MachineError } from '../../contract/errors.ts'
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
  WatchOptions,
  WriteOptions,
} from '../../contract/files.ts'
import { copyScript, moveScript } from '../posix/file-scripts.ts'
import { createByWriting, readSmallByOpening } from '../posix/small-files.ts'
import { infoOfStat } from '../posix/stat-line.ts'
import { infoOfSync } from './file-info.ts'
import { listFolder, targetsOf } from './list-folder.ts'
import { openFile } from './open-file.ts'
import type { PhoneGuest } from './phone-guest.ts'
import { runScript } from './run-script.ts'
import { withSync } from './sync-session.ts'
import { watchFolder } from './watch-folder.ts'
import { writeFile } from './write-file.ts'

/** The files of a phone. Uses ADB's sync service, and programs of the device for what sync cannot do. */
export class PhoneFiles implements Files {
  readonly #guest: PhoneGuest

  constructor(guest: PhoneGuest) {
    this.#guest = guest
  }

  async open(path: string, o: FileOptions = {}): Promise<OpenFile> {
    return await openFile(await this.#guest.link(), this.#place(path, o), o.signal)
  }

  async read(path: string, o: FileOptions & FileRange = {}): Promise<Readable> {
    return (await this.open(path, o)).read(o)
  }

  async write(path: string, content: Readable | Uint8Array, o: WriteOptions = {}): Promise<FileInfo> {
    return await writeFile(await this.#guest.link(), this.#place(path, o), content, o)
  }

  async create(path: string, content: Uint8Array, o: FileOptions = {}): Promise<FileInfo> {
    return await createByWriting(this, path, content, o)
  }

  async readSmall(path: string, o: FileOptions = {}): Promise<SmallFile> {
    return await readSmallByOpening(this, path, o)
  }

  async copy(from: string, to: string, o: FileOptions = {}): Promise<FileInfo> {
    const [source, target] = [this.#place(from, o), this.#place(to, o)]
    const line = await this.#runScript(copyScript(source, target), source, o)
    return infoOfStat(line.toString().trimEnd(), target)
  }

  async stat(path: string, o: FileOptions = {}): Promise<FileInfo> {
    const place = this.#place(path, o)
    const link = await this.#guest.link()
    const found = await withSync(link, place, sync => sync.lstat(place))
    const info = infoOfSync(posix.basename(place), found)
    if (info.kind !== 'symlink') return info
    const [target = ''] = await targetsOf(link, posix.dirname(place), [info.name])
    return { ...info, target }
  }

  async list(path: string, o: ListOptions = {}): Promise<FolderPage> {
    return await listFolder(await this.#guest.link(), this.#place(path, o), o)
  }

  async makeDirectory(path: string, o: FileOptions = {}): Promise<void> {
    const place = this.#place(path, o)
    await this.#runScript(`mkdir -p ${quote(place)}`, place, o)
  }

  async move(from: string, to: string, o: MoveOptions = {}): Promise<void> {
    const [source, target] = [this.#place(from, o), this.#place(to, o)]
    await this.#runScript(moveScript(source, target, o.overwrite ?? true), source, o)
  }

  async remove(path: string, o: FileOptions = {}): Promise<void> {
    const place = this.#place(path, o)
    await this.#runScript(`rm -rf ${quote(place)}`, place, o)
  }

  async watch(path: string, o: WatchOptions = {}): Promise<AsyncIterable<FileChange>> {
    return await watchFolder(await this.#guest.link(), this.#place(path, o), o)
  }

  async #runScript(script: string, path: string, { signal }: FileOptions): Promise<Buffer> {
    return await runScript(await this.#guest.link(), script, path, signal)
  }

  /** Makes the path absolute, so that no program takes it for an option. */
  #place(path: string, { user }: FileOptions): string {
    this.#guest.requireUser(user)
    if (path === '' || path.includes('\0'))
      throw new MachineError('INVALID', 'a path must not be empty or contain NUL')
    return path.startsWith('/') ? path : `${this.#guest.home}/${path}`
  }
}
