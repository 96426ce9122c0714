/** The same object, with some properties of another. */
export function overlay<Base extends object>(base: Base, own: Partial<Base>): Base {
  return new Proxy(base, {
    get(_, key) {
      const from = key in own ? own : base
      const value = Reflect.get(from, key, from)
      return typeof value === 'function' ? value.bind(from) : value
    },
    set: (_, key, value) => Reflect.set(base, key, value, base),
  })
}
