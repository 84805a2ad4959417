package dev.pvcpopulators.iscsitarget.unit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LogRateTest {
  private final Lines lines = new Lines();
  private final LogRate rate = new LogRate(lines, System.Logger.Level.INFO);

  /// A log that records its lines.
  private static final class Lines implements System.Logger {
    private final List<String> all = new ArrayList<>();

    @Override
    public String getName() {
      return "lines";
    }

    @Override
    public boolean isLoggable(Level level) {
      return true;
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
      all.add(message);
    }

    @Override
    public void log(
        Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {
      all.add(MessageFormat.format(format, parameters));
    }
  }

  @Test
  void suppressesMessagesAboveTheLimit() {
    for (int i = 0; i < 1000; i++) {
      rate.log("{0} was refused", i);
    }
    assertEquals(LogRate.MOST, lines.all.size());
    assertEquals("0 was refused", lines.all.getFirst());
    assertEquals(LogRate.MOST - 1 + " was refused", lines.all.getLast());
  }
}
