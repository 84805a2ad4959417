package dev.pvcpopulators.populate.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.FailureKind;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FailuresTest {
  @ParameterizedTest
  @EnumSource(FailureKind.class)
  void knowsEveryKind(FailureKind kind) {
    Failure failure = Failures.of(kind.id(), "detail", false);
    assertEquals(kind.id(), failure.kind());
    assertEquals("detail", failure.detail());
  }

  @Test
  void kindsOfLaterVersionsKeepWhetherTheyMayPass() {
    assertTrue(Failures.of("later", "detail", true).retryable());
    assertEquals(65, Failures.of(null, "detail", false).exitCode());
  }

  @ParameterizedTest
  @CsvSource({"401, 77", "403, 77", "404, 66", "400, 64", "409, 64", "422, 64", "0, 75", "503, 75"})
  void answersOfTheApiServerHaveExitCodes(int status, int exitCode) {
    KubernetesClientException refused =
        new KubernetesClientException(
            "not shown",
            status,
            new StatusBuilder().withMessage("the reason\nof the server").build());
    Failure failure = Failures.of("Creating claim vm1", refused).failure();
    assertEquals(exitCode, failure.exitCode());
    assertEquals("Creating claim vm1: the reason?of the server", failure.detail());
  }

  @ParameterizedTest
  @ValueSource(strings = {"the server could not find the requested resource", "Not Found"})
  void aMissingKindHasARemedy(String message) {
    KubernetesClientException refused =
        new KubernetesClientException(
            "not shown", 404, new StatusBuilder().withMessage(message).build());
    String detail = Failures.of("Creating claim vm1", refused).failure().detail();
    assertTrue(detail.contains("make install"), detail);
  }
}
