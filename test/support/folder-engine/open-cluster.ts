import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'
import type { TestService } from '../../../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from '../shared-database.ts'
import { Cluster } from './cluster.ts'
import { FolderEngine } from './folder-engine.ts'

/** A cluster that is up, and its engine, to inspect and change what is on it. */
export interface OpenCluster {
  readonly cluster: Cluster
  readonly folder: FolderEngine
}

export async function openCluster(): Promise<OpenCluster> {
  const cluster = await Cluster.make()
  await cluster.begin()
  const folder = new FolderEngine(cluster.path)
  cleanup.defer(() => folder.close())
  return { cluster, folder }
}

/** Opens a cluster, and starts a service on it. */
export async function startCluster(): Promise<OpenCluster & { readonly service: TestService }> {
  const opened = await openCluster()
  return { ...opened, service: await opened.cluster.serve() }
}

/** Opens a cluster, and starts two services on it that are nodes of one database. */
export async function startTwoNodes(): Promise<
  OpenCluster & { readonly owner: TestService; readonly other: TestService }
> {
  const { env } = await sharedDatabase()
  const opened = await openCluster()
  return { ...opened, owner: await opened.cluster.serve(env), other: await opened.cluster.serve(env) }
}
