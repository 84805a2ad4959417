package dev.pvcpopulators.registry.pull;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.registry.Platform;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformMatchTest {
  /// The columns are: the required platform; the matching platforms, from the best to the worst;
  /// platforms that do not match.
  @ParameterizedTest
  @CsvSource({
    "linux/amd64, linux/amd64, linux/arm64 windows/amd64 linux/386 linux/amd64/v2",
    "linux/amd64, linux/amd64/v1, linux/amd64/v3",
    "linux/amd64/v3, linux/amd64/v3 linux/amd64/v2 linux/amd64, linux/amd64/v4",
    "linux/x86_64, linux/amd64, linux/arm64",
    "linux/amd64, linux/x86_64, linux/aarch64",
    "linux/arm64, linux/arm64/v8, linux/arm64/v9 linux/arm/v7 linux/arm/v8",
    "linux/arm64/v8, linux/arm64, linux/amd64",
    "linux/arm64/v9, linux/arm64/v9 linux/arm64/v8.2 linux/arm64, linux/arm64/v9.1",
    "linux/aarch64, linux/arm64/8, linux/arm",
    "linux/arm/v7, linux/arm/v7 linux/arm/v6 linux/arm/v5, linux/arm/v8 linux/arm64",
    "linux/arm, linux/arm linux/armel linux/arm/v5, linux/arm/v8",
    "linux/arm/v6, linux/arm/v6 linux/arm/v5, linux/arm/v7 linux/arm",
    "linux/riscv64, linux/riscv64 linux/riscv64/rva20u64, linux/s390x",
    "linux/riscv64/rva20u64, linux/riscv64/rva20u64, linux/riscv64 linux/riscv64/rva22u64",
    "linux/ppc64le, Linux/PPC64LE, linux/ppc64",
    "linux/arm/odd, linux/arm/odd, linux/arm/v7",
  })
  void takesWhatRunsTheNearestFirst(String wanted, String taken, String refused) {
    PlatformMatch match = new PlatformMatch(Platform.parse(wanted));
    int before = -1;
    for (String offered : taken.split(" ", -1)) {
      int distance = match.distance(Platform.parse(offered)).orElse(-1);
      assertEquals(true, distance > before, offered + " has " + distance + ", not over " + before);
      before = distance;
    }
    for (String offered : refused.split(" ", -1)) {
      assertEquals(true, match.distance(Platform.parse(offered)).isEmpty(), offered);
    }
  }
}
