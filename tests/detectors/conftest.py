import pytest
import torch

from .judges.dialogues import judged, responses


@pytest.fixture(scope="session")
def learned_judge(tmp_path_factory):
    """A folder in which a judge learned about towns, the responses it is asked of, and what it says of them."""
    torch.set_num_threads(1)
    folder, asked = tmp_path_factory.mktemp("judge"), responses(30, start=500)
    return folder, asked, judged(folder, responses(70), asked)
