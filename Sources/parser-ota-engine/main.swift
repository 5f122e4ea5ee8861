internal import ParserEngine

// The engine of parser-ota: a hidden web view, told what to do by the process that started it.
if CommandLine.arguments.dropFirst().first == ReaderMode.argument { ReaderProgram.run() }
EngineProgram.run()
