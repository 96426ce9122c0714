/** What belongs to Sandglass in a cluster. The settings of the service have the same defaults. */
export interface ClusterNames {
  readonly project: string
  readonly pool: string
  readonly network: string
}

export const defaultNames: ClusterNames = { project: 'sandglass', pool: 'sandglass', network: 'sgnet0' }
