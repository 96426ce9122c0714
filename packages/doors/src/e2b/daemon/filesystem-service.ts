import { create } from '@bufbuild/protobuf'
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect'
import { type FileChange, type FileInfo, MachineError } from '@sandglass/machines/contract'
import { type EntryInfo, EventType, type Filesystem, WatchDirResponseSchema } from '../proto/filesystem_pb.js'
import type { Daemon } from './daemon.ts'
import { entryOf } from './entry.ts'
import { listTree } from './list-tree.ts'
import { keepaliveMs, requireDaemon } from './request.ts'
import { isScreenshot } from './screenshot-command.ts'
import { withIdle } from './with-idle.ts'

/** The files of a sandbox for clients of the Connect protocol. */
export const filesystemService: ServiceImpl<typeof Filesystem> = {
  async stat({ path }, context) {
    const place = placeOf(path, context)
    return { entry: await described(place) }
  },

  async makeDir({ path }, context) {
    const place = placeOf(path, context)
    if (await found(place)) throw new ConnectError(`${place.path} exists already.`, Code.AlreadyExists)
    await place.daemon.record()
    await place.daemon.files.makeDirectory(place.path, place.options)
    return { entry: await described(place) }
  },

  async move({ source, destination }, context) {
    const from = placeOf(source, context)
    const to = placeOf(destination, context)
    await from.daemon.record()
    await from.daemon.files.move(from.path, to.path, from.options)
    return { entry: await described(to) }
  },

  async listDir({ path, depth }, context) {
    const { daemon, path: folder, options } = placeOf(path, context)
    const names = await daemon.users.names()
    const entries: EntryInfo[] = []
    for await (const { path: at, info } of listTree(daemon.files, folder, Math.max(1, depth), options))
      entries.push(entryOf(at, info, names))
    return { entries }
  },

  async remove({ path }, context) {
    const place = placeOf(path, context)
    await place.daemon.record()
    // The next picture would wait until the removal of the last one is on the disk.
    await place.daemon.files.remove(place.path, { ...place.options, durable: !isScreenshot(place.path) })
    return {}
  },

  async *watchDir({ path, recursive }, context) {
    const { daemon, path: folder, options } = placeOf(path, context)
    const changes = await daemon.files.watch(folder, { ...options, recursive })
    yield create(WatchDirResponseSchema, { event: { case: 'start', value: {} } })
    for await (const change of withIdle(changes, keepaliveMs(context.requestHeader))) {
      if (change === undefined)
        yield create(WatchDirResponseSchema, { event: { case: 'keepalive', value: {} } })
      else
        for (const value of eventsOf(change))
          yield create(WatchDirResponseSchema, { event: { case: 'filesystem', value } })
    }
  },

  async createWatcher({ path, recursive }, context) {
    const { daemon, path: folder, options } = placeOf(path, context)
    const stopped = new AbortController()
    const changes = await daemon.files.watch(folder, { ...options, recursive, signal: stopped.signal })
    return { watcherId: daemon.watchers.add(changes, () => stopped.abort()) }
  },

  getWatcherEvents({ watcherId }, context) {
    return { events: requireDaemon(context).watchers.take(watcherId).flatMap(eventsOf) }
  },

  removeWatcher({ watcherId }, context) {
    requireDaemon(context).watchers.remove(watcherId)
    return {}
  },
}

interface Place {
  readonly daemon: Daemon
  readonly path: string
  readonly options: { readonly user?: string; readonly signal: AbortSignal }
}

function placeOf(path: string, context: HandlerContext): Place {
  const daemon = requireDaemon(context)
  const { user, users } = daemon
  const options = { signal: context.signal, ...(user !== undefined && { user }) }
  return { daemon, path: users.resolve(path, user), options }
}

async function described({ daemon, path, options }: Place): Promise<EntryInfo> {
  const [info, names] = await Promise.all([daemon.files.stat(path, options), daemon.users.names()])
  return entryOf(path, info, names)
}

async function found({ daemon, path, options }: Place): Promise<FileInfo | undefined> {
  try {
    return await daemon.files.stat(path, options)
  } catch (error) {
    if (error instanceof MachineError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

const types = {
  created: EventType.CREATE,
  modified: EventType.WRITE,
  removed: EventType.REMOVE,
} as const

/** Changes that were lost have no event of their own. */
function eventsOf(change: FileChange) {
  return change.change === 'overflow' ? [] : [{ name: change.path, type: types[change.change] }]
}
