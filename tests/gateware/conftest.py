"""The option to simulate units as they are mapped to the ECP5, with the parameters of boards that have one."""


def pytest_addoption(parser):
    parser.addoption(
        "--netlist", action="store_true", help="simulate the vector unit and the accelerator after synthesis for ECP5"
    )
