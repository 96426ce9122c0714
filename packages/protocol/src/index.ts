export * from './action.ts'
export * from './length.ts'
export * from './parsed.ts'
