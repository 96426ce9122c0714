import { engineHandles } from '../handles.ts'

export const engineName = 'incus'
export const { handleOf, idOf } = engineHandles(engineName)
