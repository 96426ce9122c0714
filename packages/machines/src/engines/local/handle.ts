import { engineHandles } from '../handles.ts'

export const engineName = 'local'
export const { handleOf, idOf } = engineHandles(engineName)
