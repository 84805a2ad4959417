package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/// Tests in which cases the thread of a connection polls for input. Each call of the clock advances
/// the clock by [#STEP].
class InputWaitTest {
  private static final long STEP = 1_000;

  private final InputWait.Latest latest = new InputWait.Latest(2);
  private long now;
  private int asked;
  private InputWait.Input input = () -> 0;

  private InputWait wait(InputWait.Latest state) {
    return new InputWait(
        () -> {
          asked++;
          return input.available();
        },
        state,
        () -> now += STEP);
  }

  /// Returns the wait of a connection that waited `nanos` nanoseconds for input. After this input,
  /// no connection received input for [InputWait#QUIET].
  private InputWait waited(InputWait.Latest state, long nanos) throws IOException {
    InputWait wait = wait(state);
    wait.begin();
    now += nanos;
    wait.end();
    now += InputWait.QUIET;
    assertEquals(0, asked);
    return wait;
  }

  @Test
  void pollsForALimitedTimeAfterAShortWait() throws IOException {
    InputWait wait = waited(latest, 0);
    long start = now;
    wait.begin();
    assertEquals(InputWait.LONGEST_POLL, now - start - STEP);
    assertEquals(InputWait.LONGEST_POLL / STEP, asked);
  }

  @Test
  void pollsOnlyAfterAShortWait() throws IOException {
    waited(latest, 2 * InputWait.LONGEST_POLL - STEP).begin();
    assertEquals(0, asked);
    waited(latest, 2 * InputWait.LONGEST_POLL - 2 * STEP).begin();
    assertTrue(asked > 0);
  }

  @Test
  void endsWhenThereIsInput() throws IOException {
    InputWait wait = waited(latest, 0);
    input = () -> asked < 3 ? 0 : 1;
    wait.begin();
    assertEquals(3, asked);
  }

  @Test
  void doesNotPollSoonAfterInputOfAnotherConnection() throws IOException {
    InputWait wait = waited(latest, 0);
    InputWait other = wait(latest);
    other.begin();
    other.end();
    wait.begin();
    assertEquals(0, asked);
    wait.end();
    wait.begin();
    assertEquals(0, asked);
    wait.end();
    now += InputWait.QUIET;
    wait.begin();
    assertTrue(asked > 0);
  }

  @Test
  void endsWhenAnotherConnectionReceivesInput() throws IOException {
    InputWait wait = waited(latest, 0);
    InputWait other = wait(latest);
    other.begin();
    input =
        () -> {
          if (asked == 3) {
            other.end();
          }
          return 0;
        };
    wait.begin();
    assertEquals(3, asked);
  }

  @Test
  void knowsTheSilence() throws IOException {
    InputWait wait = wait(latest);
    assertEquals(0, wait.silence(now + 7));
    wait.begin();
    assertEquals(7, wait.silence(now + 7));
    wait.end();
    assertEquals(0, wait.silence(now + 7));
  }

  @Test
  void doesNotPollOnTheOnlyProcessor() throws IOException {
    waited(new InputWait.Latest(1), 0).begin();
    assertEquals(0, asked);
  }

  @Test
  void reportsAClosedConnection() throws IOException {
    InputWait wait = waited(latest, 0);
    input =
        () -> {
          throw new IOException("closed");
        };
    assertThrows(IOException.class, wait::begin);
  }
}
