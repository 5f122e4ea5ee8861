import Glibc

exit(await ConformanceClient.run(Array(CommandLine.arguments.dropFirst())))
