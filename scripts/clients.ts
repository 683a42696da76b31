/**
 * Checks the OpenAPI document with Spectral, generates clients from it with two versions of openapi-generator, compiles them, and reads
 * with each what a demo shows. By hand, because it needs Python, Java, Maven, Go and a network.
 * `bun scripts/clients.ts [spectral|typescript|go|java|python]…`
 */
import { $ } from 'bun'
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openDemo } from '#tests/demo/open-demo.ts'

const DOCUMENT = resolve('src/openapi.gen.json')
const PROGRAMS = resolve('scripts/clients')
const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
const VERSIONS = ['7.14.0', '7.25.0']
const MAVEN_CLASSPATH = 'dependency:build-classpath'
const [GO, MAVEN, JAVA, PIP] = ['go', 'mvn', 'java', 'tools/bin/pip']

/** A generated client, and what its program is told of the demo. */
interface Client {
  readonly folder: string
  readonly env: Record<string, string | undefined>
}

const LANGUAGES = {
  typescript: {
    flags: ['-g', 'typescript-fetch'],
    async read({ folder, env }: Client) {
      await copyFile(join(PROGRAMS, 'read.ts.txt'), join(folder, 'read.ts'))
      const options = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'preserve']
      await $`bunx tsc ${options} --lib esnext,dom,dom.iterable ${join(folder, 'index.ts')}`
      return $`${process.execPath} read.ts`.cwd(folder).env(env).text()
    },
  },
  go: {
    flags: ['-g', 'go', '--additional-properties=enumClassPrefix=true'],
    async read({ folder, env }: Client) {
      await mkdir(join(folder, 'read'))
      await copyFile(join(PROGRAMS, 'read.go'), join(folder, 'read', 'main.go'))
      await $`${GO} mod tidy && ${GO} vet . ./read`.cwd(folder).quiet()
      return $`${GO} run ./read`.cwd(folder).env(env).text()
    },
  },
  java: {
    flags: ['-g', 'java', '--library', 'native'],
    async read({ folder, env }: Client) {
      await copyFile(join(PROGRAMS, 'Read.java'), join(folder, 'src/main/java/Read.java'))
      await $`${MAVEN} -q -DskipTests compile ${MAVEN_CLASSPATH} -Dmdep.outputFile=classpath`.cwd(
        folder,
      )
      const classpath = await Bun.file(join(folder, 'classpath')).text()
      return $`${JAVA} -cp target/classes:${classpath} Read`.cwd(folder).env(env).text()
    },
  },
  python: {
    flags: ['-g', 'python'],
    async read({ folder, env }: Client) {
      const tools = await install(folder, ['.'])
      return $`${join(tools, 'python')} ${join(PROGRAMS, 'read.py')}`.cwd(folder).env(env).text()
    },
  },
} as const

async function spectral(folder: string): Promise<void> {
  await Bun.write(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n')
  await $`bunx --bun ${SPECTRAL} lint ${DOCUMENT} --ruleset rules.yaml`.cwd(folder)
}

async function install(folder: string, packages: readonly string[]): Promise<string> {
  await $`python3 -m venv tools && ${PIP} install -q ${packages}`.cwd(folder)
  return join(folder, 'tools', 'bin')
}

const wanted = process.argv.slice(2)
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name)
const folder = await mkdtemp(join(tmpdir(), 'portico-clients-'))
if (isWanted('spectral')) await spectral(folder)

const languages = Object.entries(LANGUAGES).filter(([name]) => isWanted(name))
await using demo = await openDemo()
const { cookie } = await demo.signIn('dev')
const env = { ...process.env, PORTICO_URL: demo.url, PORTICO_COOKIE: cookie }
for (const version of languages.length > 0 ? VERSIONS : []) {
  const tools = join(folder, version)
  await mkdir(tools)
  // The Python package brings the generator, which is a Java program.
  const generator = join(
    await install(tools, [`openapi-generator-cli==${version}`]),
    'openapi-generator-cli',
  )
  for (const [name, language] of languages) {
    const client = join(tools, name)
    const generated =
      await $`${generator} generate -i ${DOCUMENT} ${language.flags} -o ${client}`.quiet()
    const warnings =
      Buffer.concat([generated.stdout, generated.stderr])
        .toString()
        .match(/ WARN .*/g) ?? []
    const found = await language.read({ folder: client, env }).catch((thrown: unknown) => {
      process.exitCode = 1
      return thrown instanceof $.ShellError
        ? `nothing: ${thrown.stderr.toString()}`
        : String(thrown)
    })
    console.log(`${name} by ${version}: ${warnings.length} warnings, read ${found.trim()}`)
  }
}
console.log(`clients are in ${folder}`)
