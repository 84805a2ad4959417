package dev.pvcpopulators.iscsitarget.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.wire.CommandWindow.Place;
import org.junit.jupiter.api.Test;

class CommandWindowTest {
  private static final int FIRST = 0xfffffff0;

  @Test
  void comparesNumbersAcrossTheirWrap() {
    CommandWindow window = new CommandWindow(FIRST, 0x21, 0);
    assertEquals(0x10, window.numbers(0).maxCmdSn());
    assertTrue(window.contains(FIRST));
    assertTrue(window.contains(0));
    assertTrue(window.contains(0x10));
    assertFalse(window.contains(0x11));
    assertFalse(window.contains(0xffffffef));
    assertEquals(Place.LATER, window.place(0));
    assertEquals(Place.OUTSIDE, window.place(0x11));
    assertEquals(Place.NEXT, window.place(FIRST));
    assertEquals(FIRST + 1, window.numbers(0).expCmdSn());
  }

  @Test
  void isClosedWhenItsCommandsAreInProgress() {
    CommandWindow window = new CommandWindow(7, 1, 0);
    assertEquals(Place.NEXT, window.place(7));
    assertEquals(Place.OUTSIDE, window.place(8));
    window.ended();
    assertEquals(Place.NEXT, window.place(8));
  }
}
