// The engine of parser-ota: a hidden web view, told what to do by the process that started it.
EngineProgram.run()
